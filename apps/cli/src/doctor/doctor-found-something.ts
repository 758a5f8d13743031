/** `signet doctor` listed objects that an administrator should look at. */
export class DoctorFoundSomething extends Error {
  override readonly name = 'DoctorFoundSomething'
}
