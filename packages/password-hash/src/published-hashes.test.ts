import { expect, it } from 'vitest'
import { createPasswordHasher } from './password-hasher.ts'
import { findHashProblem } from './stored-hash.ts'

const hasher = createPasswordHasher({ concurrency: 2, queueLimit: 20 })

/** [length, hash] of passwords of that many x, where the algorithms repeat and cut: Python 3.11's crypt.crypt, libxcrypt. */
const CRYPT_EDGE_HASHES: readonly (readonly [number, string])[] = [
  [0, '$1$saltsalt$5Jhcit4zN9UlGiA0txPkO0'],
  [0, '$5$rounds=1000$sixteencharsalt.$.HaqDywOoWojZV.ZJg7xn1LqDfSQ3S2Lkhg0xicIOO9'],
  [
    0,
    '$6$rounds=1000$salt$8.6rbmbp5x0d6GHKoit3wSooHPfMEY9cwCpDMr6.bC46HXi1Eqr7xqKZ9RPwaFW/eCyoUBBNRq1xG/f612CuH0',
  ],
  [1, '$1$saltsalt$4px9i58NU2Z2/vZOUlGjq.'],
  [1, '$5$rounds=1000$sixteencharsalt.$DsAbpQd4nBEo.b5gAwxNmWJAdKHFlmwRgKfMd4CY6LD'],
  [
    1,
    '$6$rounds=1000$salt$dp.sf6xrDVOi6TLP3zDbIJaA6gs0VgRbHlpmjjxGZKgmGeTPVWC8FNtkny4LZetNMVSTwdL6c/OB/cDBZl76V0',
  ],
  [15, '$1$saltsalt$2heMowpWsdqv5dFvsNwIX1'],
  [15, '$5$rounds=1000$sixteencharsalt.$Od6cjOE.9wYvW62BWOo67h4LIjxoY8HBVL8Ctp0aECC'],
  [
    15,
    '$6$rounds=1000$salt$/2xUaGL0BbklH2cR.7DRo5t.vRLfO3F698DrNd43A7jy18GeYtj7gmQ6A0qOHO1NfKGLDRmHMZLUy4BA/QwFg/',
  ],
  [16, '$1$saltsalt$VAeOIBZkIkZ3oIWL3NWV51'],
  [16, '$5$rounds=1000$sixteencharsalt.$W2e3uvOTd.sQ.d1ZitjQ1rcseapSoncAn6oYwhMc962'],
  [
    16,
    '$6$rounds=1000$salt$0USE87cYGoZCSNcBaqr3CLaoe/gwX1JBcZ9qu1YV83l/aHUN7qqf8ES1rlcLjTrxP1iRFCHUbqBGeqJbnM8Gv.',
  ],
  [17, '$1$saltsalt$Y9ypZFJoGoPCqgoCb6XXK0'],
  [17, '$5$rounds=1000$sixteencharsalt.$Qw./Arj1ngDZ5cIXc24SYoD3WqTxz7eC79mTXWXOjlA'],
  [
    17,
    '$6$rounds=1000$salt$y6r0cmV4x6IeDXh9qxFP0QoQGlBjwQkJD1l0xJMFg0WkrL9WRClpxHV1y3.d9N6A.afM2eFJaToQUNOFeu3uT.',
  ],
  [31, '$1$saltsalt$UakFJKV9SFYJg/aki545p/'],
  [31, '$5$rounds=1000$sixteencharsalt.$m1hVxGXfyNILN5rRE54OrRz4UMEZJS/QP281NsJYUc6'],
  [
    31,
    '$6$rounds=1000$salt$svVKNXUihNjpB9pEGsuZGF4nvf7rjUEmf3MnJr85mKYWDSuegSq.C.vfhuw0YZdqNlLBHWHk6mKS.Qs6CnJ181',
  ],
  [32, '$1$saltsalt$fvEQlmM4mEXIw74ny7Yu4/'],
  [32, '$5$rounds=1000$sixteencharsalt.$rbEqb7XMT3VcjmVdAcwXkJUu9Kr79gnANFVeY2U1ea.'],
  [
    32,
    '$6$rounds=1000$salt$vbWQd2M7/bO/PXUnr4lPh6ROSFCxWMCSAQ9qgEGglMA9.VQ1BN9YoYKdqv4CSIzVJTxMzdwoF.Z7xi1FquWb5/',
  ],
  [33, '$1$saltsalt$OeHTEISkrBObtXUUAvfrp0'],
  [33, '$5$rounds=1000$sixteencharsalt.$gQyY1/ldkuHY/8Pfo9YGrGDI1d5ZLisek/pvJzzRIH3'],
  [
    33,
    '$6$rounds=1000$salt$kllXFGj9ozvAJuKYjtdufxszOIBagjqWbTIPFScbMwtkHOPh94TzpO2OlVJHJTgRf9/bX/AVNt5nuosMfOHEA/',
  ],
  [63, '$1$saltsalt$27XhpGzQqtvNZbhEZ2lF41'],
  [63, '$5$rounds=1000$sixteencharsalt.$0NuvK1lit5Ps44KUprXCcscD06XMJSOc2U2QvUjBvaB'],
  [
    63,
    '$6$rounds=1000$salt$RT85dwozUIOZ1Iqzp16GhtfeotwDTyPvhfp..I0Mv88HIb/Th2kx/ynDYgw5mDPLuFSpeVkZ1MMjfrs.oBY/O1',
  ],
  [64, '$1$saltsalt$9TVLegbaMrVghvGIRw6.n0'],
  [64, '$5$rounds=1000$sixteencharsalt.$DLVmpiZjdiiUvNh5qlzd12G3tbDcRHWYxuDuldZDSA3'],
  [
    64,
    '$6$rounds=1000$salt$JvC/rO7Uo40vL/yzPKuK8AsZQnaeIe4wZAVQy8p0dqJ6VyzzPu0iJECxvhx5J2k4sPIs4ycnZWSeL7VUAATnj.',
  ],
  [65, '$1$saltsalt$UpSTFqkhUdeV0lp49lW0P1'],
  [65, '$5$rounds=1000$sixteencharsalt.$sENzJr1yvvC2YCiHUjhM/F0GmAIzDeYwrQPi/cJIiW4'],
  [
    65,
    '$6$rounds=1000$salt$GE6FzzNMkLZA2YzAvlXDocpNj9sRcJwZRWmlRrD9iA5n/bLa/r6jBJpS8xz4.qt5bAQvsU/rQu2y9.x/hCym90',
  ],
  [127, '$1$saltsalt$T8Jvp/saZUzat2oTMzYZA1'],
  [127, '$5$rounds=1000$sixteencharsalt.$IVEgplPESNczFUcPbvVSYLTGYViulg5xrW3c6KgtoP7'],
  [
    127,
    '$6$rounds=1000$salt$qzj59i3eJ6BwGtV/7p6NqV/l/hyuAugJDRkFkecpdloWP0Y7/TNQTJ4q4FAtgKqvc57jn7Beibeo9M.P1fX2B0',
  ],
  [130, '$1$saltsalt$3V2ZR5WbCh7EYYquPIfbh1'],
  [130, '$5$rounds=1000$sixteencharsalt.$Fp94N54K0Y0obKmFrI4FwpbQo8fk7w2796KeHGcdb61'],
  [
    130,
    '$6$rounds=1000$salt$yepYLF82Y7.ERjL6vTE4a0nLiYqK8IzcSpAmkwKg65zhuv3qpP3zZepmkP9GQvaRTXelpj5az6Ikh2Eg85ern0',
  ],
]

/** [origin, password, hash] of the tests of the programs themselves. */
const PUBLISHED_HASHES: readonly (readonly [string, string, string])[] = [
  [
    'firebase/scrypt, README',
    'user1password',
    '$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$Bw==$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  ],
  [
    'ory/kratos, hasher_test.go, firescrypt',
    '8x4WjoDbSxJZdR',
    '$firescrypt$ln=14,r=8,p=1$sPtDhWcd1MfdAw==$xbSou7FOl6mChCyzpCPIQ7tku7nsQMTFtyOZSXXd7tjBa4NtimOx7v42Gv2SfzPQu1oxM2/k4SsbOu73wlKe1A==$Bw==$YE0dO4bwD4JnJafh6lZZfkp1MtKzuKAXQcDCJNJNyeCHairWHKENOkbh3dzwaCdizzOspwr/FITUVlnOAwPKyw==',
  ],
  [
    'ory/kratos, hasher_test.go, pbkdf2',
    'test',
    '$pbkdf2-sha256$i=100000,l=32$1jP+5Zxpxgtee/iPxGgOz0RfE9/KJuDElP1ley4VxXc$QJxzfvdbHYBpydCbHoFg3GJEqMFULwskiuqiJctoYpI',
  ],
  [
    'ory/kratos, hasher_test.go, scrypt',
    'test',
    '$scrypt$ln=16384,r=8,p=1$2npRo7P03Mt8keSoMbyD/tKFWyUzjiQf2svUaNDSrhA=$MiCzNcIplSMqSBrm4HckjYqYhaVPPjTARTzwB1cVNYE=',
  ],
  ['ory/kratos, hasher_test.go, SSHA', 'test123', '{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDy/276a'],
  [
    'ory/kratos, hasher_test.go, SSHA512',
    'test123',
    '{SSHA512}xPUl/px+1cG55rUH4rzcwxdOIPSB2TingLpiJJumN2xyDWN4Ix1WQG3ihnvHaWUE8MYNkvMi5rf0C9NYixHsE6Yh59M=',
  ],
  [
    'ory/kratos, hasher_test.go, sha1',
    'test',
    '$sha1$pf=Pz9zdGF0aWNQcmVmaXg/P3tTQUxUfXtQQVNTV09SRH0=$NW9wbWtnejAzcg==$SAAxMUn7jxckQXkBmsVF0nHwqso=',
  ],
  [
    'ory/kratos, hasher_test.go, sha256',
    'test',
    '$sha256$pf=e1NBTFR9JCR7UEFTU1dPUkR9$NW9wbWtnejAzcg==$HokCOi9OtiZaZRvnkgemV3B4UUHpI7kA8zq/EZWH2NY=',
  ],
  [
    'dotnet/aspnetcore, PasswordHasherTest.cs, version 2',
    'my password',
    'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==',
  ],
  [
    'dotnet/aspnetcore, PasswordHasherTest.cs, version 3 with SHA-1',
    'my password',
    'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
  ],
  [
    'dotnet/aspnetcore, PasswordHasherTest.cs, version 3 with SHA-256',
    'my password',
    'AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==',
  ],
  [
    'dotnet/aspnetcore, PasswordHasherTest.cs, version 3 with SHA-512',
    'my password',
    'AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==',
  ],
]

it.each(PUBLISHED_HASHES)('verifies the published hash of %s', async (_, right, hash) => {
  expect(await hasher.verifyPassword(hash, right)).toEqual({ matches: true, isOutdated: true })
  for (const wrong of ['', `${right}x`]) {
    expect(await hasher.verifyPassword(hash, wrong)).toEqual({ matches: false, isOutdated: true })
  }
})

it('md5-crypt, sha256-crypt and sha512-crypt agree with crypt(3) wherever a length matters', async () => {
  for (const [length, hash] of CRYPT_EDGE_HASHES) {
    expect(await hasher.verifyPassword(hash, 'x'.repeat(length))).toMatchObject({ matches: true })
    expect(await hasher.verifyPassword(hash, 'x'.repeat(length + 1))).toMatchObject({ matches: false })
  }
})

it('reads every published hash', () => {
  const hashes = [...CRYPT_EDGE_HASHES.map(([, hash]) => hash), ...PUBLISHED_HASHES.map(([, , hash]) => hash)]
  for (const hash of hashes) expect(findHashProblem(hash)).toBeUndefined()
})
