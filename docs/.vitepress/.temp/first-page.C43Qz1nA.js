const _imports_0 = "/assets/first-page.DzPPMub8.png";
export {
  _imports_0 as _
};
