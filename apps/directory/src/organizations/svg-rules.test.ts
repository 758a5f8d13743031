import { describe, expect, it } from 'vitest'
import { brokenSvgRule, isSvg } from './svg-rules.ts'

const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"${attributes}>${content}</svg>`
const ruleOf = (text: string | Buffer) => brokenSvgRule(Buffer.from(text as string))

const GOOD = {
  'a logo as Illustrator writes it': `<?xml version="1.0" encoding="utf-8"?>
<!-- Generator -->
<svg version="1.1" id="Layer_1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 x="0px" y="0px" viewBox="0 0 10 10" style="enable-background:new 0 0 10 10;" xml:space="preserve">
<style type="text/css"><![CDATA[ .st0{fill:#0B6E4F;stroke:rgb(1,2,3)} ]]></style>
<g data-name="Layer 1"><path class="st0" d="M5 0 10 10H0z" transform="translate(1 2) rotate(45)"/></g></svg>`,
  'gradients that refer to each other': svg(
    '<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient><linearGradient id="b" xlink:href="#a"/><radialGradient id="c" href="#a"/></defs><path fill="url(#b)" style="fill: url( \'#c\' )" d="M0 0h9v9"/>',
  ),
  'text and a title': svg('<title>Acme &amp; Co</title><text x="1" font-family="serif">Acme</text>'),
  'a label with parentheses': svg('', ' role="img" aria-label="Acme (Zürich)"'),
  'ampersands in comments and CDATA': svg(
    '<!-- Drawn by Acme & Co <b> --><title><![CDATA[Acme & Co <b>]]></title><desc>&#169;&#xA9;&lt;</desc>',
  ),
  '100 elements in one another, beside many empty ones': svg(
    `${'<g id=">"/>'.repeat(500)}${'<g>'.repeat(99)}${'</g>'.repeat(99)}`,
  ),
  'a mask and a clip path as Figma writes them': svg(
    '<mask id="mask0" style="mask-type:alpha" maskUnits="userSpaceOnUse"><rect fill="url(#mask-gradient)" style="fill:url(#mask-gradient)"/></mask><g mask="url(#mask0)"><g clip-path="url(#a)"><path d="M0 0h9v9"/></g></g><defs><clipPath id="a"><rect width="9" height="9"/></clipPath></defs>',
  ),
  'a clip path as Illustrator writes it': svg(
    '<defs><style>.cls-1{fill:none;}.cls-2, .cls-3 { clip-path: url(#clip-path); } /* all: masks */ rect{fill:red}</style><clipPath id="clip-path"><rect class="cls-1"/></clipPath></defs><g class="cls-2"><path class="cls-1"/></g>',
  ),
  'a byte order mark': `\uFEFF${svg('')}`,
}

describe('an SVG image', () => {
  it.each(Object.entries(GOOD))('is accepted: %s', (_what, text) => {
    expect([isSvg(Buffer.from(text)), ruleOf(text)]).toEqual([true, undefined])
  })

  const XHTML = 'xmlns:h="http://www.w3.org/1999/xhtml"'
  it.each([
    ['script', svg('<script>alert(1)</script>'), 'the element <script>'],
    ['script of a prefix', svg('<s:script xmlns:s="http://www.w3.org/2000/svg"/>'), 'the element <s:script>'],
    ['script in capitals', svg('<SCRIPT/>'), 'the element <SCRIPT>'],
    ['script in HTML', svg(`<h:script ${XHTML}>alert(1)</h:script>`), 'the element <h:script>'],
    ['an allowed name of HTML', svg(`<h:title ${XHTML}/>`), 'the element <h:title>'],
    ['foreignObject', svg('<foreignObject><p/></foreignObject>'), 'the element <foreignObject>'],
    ['an image', svg('<image href="https://evil.example/x.png"/>'), 'the element <image>'],
    ['use of another file', svg('<use href="https://evil.example/x.svg#a"/>'), 'the element <use>'],
    ['use that grows', svg('<g id="a"/><use href="#a"/>'), 'the element <use>'],
    [
      'an animation',
      svg('<a><animate attributeName="href" to="javascript:alert(1)"/></a>'),
      'the element <a>',
    ],
    ['set', svg('<rect><set attributeName="onclick" to="alert(1)"/></rect>'), 'the element <set>'],
    ['a filter', svg('<filter id="f"><feImage href="//evil.example"/></filter>'), 'the element <filter>'],
    ['an event', svg('', ' onload="alert(1)"'), 'the attribute onload of <svg>'],
    ['an event in capitals', svg('<g ONCLICK="alert(1)"/>'), 'the attribute ONCLICK of <g>'],
    ['an event of a namespace', svg('<g xmlns:e="urn:e" e:onload="x"/>'), 'the attribute e:onload of <g>'],
    ['another base', svg('', ' xml:base="https://evil.example/"'), 'the attribute xml:base of <svg>'],
    ['href in script', svg('<linearGradient href="javascript:alert(1)"/>'), 'own elements only'],
    ['href in data', svg('<linearGradient xlink:href="data:image/svg+xml,x"/>'), 'own elements only'],
    ['href of another file', svg('<linearGradient href="x.svg#a"/>'), 'own elements only'],
    [
      'a fill from elsewhere',
      svg('<path fill="url(https://evil.example/#a)"/>'),
      'the attribute fill of <path>',
    ],
    ['a fill in capitals', svg('<path fill="URL(//evil.example)"/>'), 'the attribute fill of <path>'],
    [
      'a style from elsewhere',
      svg('<g style="fill:url(\'//evil.example\')"/>'),
      'the attribute style of <g>',
    ],
    ['an image set', svg('<g style="mask:image-set(\'//evil.example\' 1x)"/>'), 'the attribute style of <g>'],
    ['an escaped function', svg('<g style="fill:u\\72l(//evil.example)"/>'), 'the attribute style of <g>'],
    [
      'a referenced character',
      svg('<g style="fill:&#117;rl(//evil.example)"/>'),
      'the attribute style of <g>',
    ],
    ['an import', svg('<style>@import "https://evil.example/x.css";</style>'), 'in <style>'],
    ['an import in CDATA', svg('<style><![CDATA[@import "//evil.example";]]></style>'), 'in <style>'],
    ['a font', svg('<style>@font-face{src:url(//evil.example)}</style>'), 'in <style>'],
    ['a cursor', svg('<style>g{cursor:url(//evil.example),auto}</style>'), 'in <style>'],
    ['a document type', `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">${svg('')}`, 'document type'],
    ['entities', `<!DOCTYPE svg [<!ENTITY a "&#60;script/>">]>${svg('&a;')}`, 'document type'],
    [
      'a stylesheet',
      `<?xml version="1.0"?><?xml-stylesheet href="x.css"?>${svg('')}`,
      'processing instructions',
    ],
    ['another encoding', `<?xml version="1.0" encoding="UTF-7"?>${svg('')}`, 'processing instructions'],
    ['an unknown entity', svg('&nbsp;'), 'well-formed'],
    ['an open element', '<svg xmlns="http://www.w3.org/2000/svg"><g>', 'well-formed'],
    ['an attribute twice', svg('<g id="a" id="b"/>'), 'well-formed'],
    ['an attribute without quotes', svg('<g id=a/>'), 'well-formed'],
    ['HTML behind it', `${svg('')}<script>alert(1)</script>`, 'well-formed'],
    ['no namespace', '<svg onload="alert(1)"/>', 'well-formed'],
    ['another root', `<!-- --><html ${XHTML} xmlns="http://www.w3.org/1999/xhtml"/>`, 'well-formed'],
    ['many elements', svg('<g/>'.repeat(6_000)), 'at most 3000 elements'],
    ['deep elements', svg(`${'<g>'.repeat(3_000)}${'</g>'.repeat(3_000)}`), 'at most 3000 elements'],
    ['many attributes', svg('<g id="a" x="b" y="c" d="d"/>'.repeat(2_600)), 'at most 10000 attributes'],
    [
      'a function with a long name',
      svg(`<g fill="${'a'.repeat(40)}rgb(0,0,0)"/>`),
      'the attribute fill of <g>',
    ],
    ['a character of no text', svg('<title>a\u0000b</title>'), 'control characters'],
    ['a control character in a comment', svg('<!-- \u0007 -->'), 'control characters'],
    ['a reference to no character', svg('<title>&#0;</title>'), 'control characters'],
    ['a reference to a control character', svg('<title>&#x1;</title>'), 'control characters'],
    ['a reference to a number too large', svg('<title>&#9999999;</title>'), 'well-formed'],
    ['a reference to half a character', svg('<title>&#xD800;</title>'), 'well-formed'],
    ['a bare ampersand', svg('<title>Acme & Co</title>'), 'write & as &amp;'],
    ['a bare ampersand in an attribute', svg('<g id="a&b"/>'), 'write & as &amp;'],
    ['a bare ampersand after a comment', svg('<!-- & -->&'), 'write & as &amp;'],
    [
      'many namespaces',
      svg('<g xmlns:a="urn:a" xmlns:b="urn:b" xmlns:c="urn:c"/>'.repeat(7)),
      'at most 20 namespace',
    ],
    ['101 elements in one another', svg('<g>'.repeat(100) + '</g>'.repeat(100)), 'at most 100 elements'],
    [
      'nested elements that look empty',
      svg('<g id="/>">'.repeat(100) + '</g>'.repeat(100)),
      'at most 100 elements',
    ],
    [
      'nested elements after an open comment that looks closed',
      svg(`${'<!--></g></g>-->'.repeat(60)}${'<g>'.repeat(100)}${'</g>'.repeat(100)}`),
      'at most 100 elements',
    ],
    ['a mask in a mask', svg('<mask id="a"><g><rect mask="url(#b)"/></g></mask>'), 'not have mask'],
    ['a mask of a mask', svg('<mask id="a" mask="url(#b)"/>'), 'not have mask'],
    ['a clip path of a clip path', svg('<clipPath id="a" clip-path="url(#b)"/>'), 'not have mask'],
    ['a clip path in a mask', svg('<mask id="a"><rect clip-path="url(#b)"/></mask>'), 'not have mask'],
    ['a style in a mask', svg('<mask id="a"><rect style="fill:red;mask :url(#b)"/></mask>'), 'not have mask'],
    [
      'a style with comments',
      svg('<mask id="a"><g style="/**/-webkit-MASK:url(#b)"/></mask>'),
      'not have mask',
    ],
    ['an inherited mask', svg('<g mask="url(#b)"><mask id="a" style="all:inherit"/></g>'), 'not have mask'],
    [
      'a class in a mask',
      svg('<style>.b,.a{mask:url(#b)}</style><mask id="a"><rect class="x a"/></mask>'),
      'nor classes with them',
    ],
    ['a selector of elements', svg('<style>rect{mask:url(#b)}</style>'), 'name classes only'],
    ['a selector of all', svg('<style>.a,*{clip-path:url(#b)}</style>'), 'name classes only'],
    ['a selector of classes in others', svg('<style>mask .a{mask:url(#b)}</style>'), 'name classes only'],
    ['rules in rules', svg('<style>.a{rect{mask:url(#b)}}</style>'), 'name classes only'],
    ['rules in rules, after one', svg('<style>.a{mask:url(#b);rect{fill:red}}</style>'), 'name classes only'],
    [
      'declarations after a rule in a rule',
      svg('<style>rect{.a{x:0}mask:url(#b)}</style>'),
      'name classes only',
    ],
    [
      'a comment without an end before another <style>',
      svg('<style>/*</style><style>rect{mask:url(#b)}</style>'),
      'name classes only',
    ],
    ['a brace in a string', svg('<style>rect{x:"} .a{";mask:url(#b)}</style>'), 'name classes only'],
    [
      'a brace between strings of quotes',
      svg(`<style>rect{x:'"';y:"} .a{";z:'"';mask:url(#b)}</style>`),
      'name classes only',
    ],
    [
      'a brace in a string without an end',
      svg('<style>rect{x:"} .a{\n;mask:url(#b)}</style>'),
      'name classes only',
    ],
    [
      'a brace in a comment',
      svg('<style>rect{x:1;/*"} .a{*/mask:url(#b);/*"*/}</style>'),
      'name classes only',
    ],
    ['many masks', svg('<g mask="url(#a)"/>'.repeat(101)), 'at most 100 elements with mask'],
    ['UTF-16', Buffer.from(`\uFEFF${svg('')}`, 'utf16le'), 'UTF-8'],
  ])('is refused with the rule: %s', (_what, text, rule) => {
    expect(ruleOf(text)).toContain(rule)
  })

  it.each([
    ['a word', svg(`<g fill="${'a-'.repeat(120_000)}"/>`)],
    ['open references', svg(`<g fill="${'url(#a'.repeat(40_000)}"/>`)],
    ['spaces', svg(`<g fill="url(${' '.repeat(240_000)}"/>`)],
    ['elements in elements', svg(`${'<g>'.repeat(2_900)}${'</g>'.repeat(2_900)}`)],
    ['open comments of CSS', svg(`<style>.a{mask:none}${'/*'.repeat(120_000)}</style>`)],
    ['quotes of CSS', svg(`<style>.a{mask:none}${`"'\n`.repeat(80_000)}</style>`)],
    ['rules of CSS', svg(`<style>${'.a{mask:none}'.repeat(19_000)}</style>`)],
    ['open comments', svg('<!--'.repeat(5_900))],
    ['open quotes', svg(`${'<g id="'.repeat(5_900)}${'a'.repeat(200_000)}`)],
    ['quotes', svg(`<g ${'a="" '.repeat(9_900)}`)],
    ['ampersands', svg('&#1'.repeat(80_000))],
    ['namespaces', svg('<g xmlns:a="urn:a" xmlns:b="urn:b" xmlns:c="urn:c"/>'.repeat(2_900))],
    [
      'attributes of one element',
      svg(`<g ${Array.from({ length: 9_000 }, (_, at) => `a${at}=""`).join(' ')}/>`),
    ],
  ])('is checked in two seconds of CPU for a file of %s', (_what, text) => {
    const start = process.cpuUsage()
    ruleOf(text)
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000)
  })

  it.each(['', '<!doctype html><svg/>', '<html>', 'GIF89a', '{"svg": 1}'])('is not %j', (text) => {
    expect(isSvg(Buffer.from(text))).toBe(false)
  })
})
