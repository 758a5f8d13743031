/** The password of every user in `FOREIGN_PASSWORD_HASHES`: `p` and the argument of the commands below. */
export const FOREIGN_PASSWORD = 'Correct-horse-9 é 🐎'

/**
 * Hashes made once by other programs than ours, each below the command that made it: mkpasswd 5.5.17, openssl 3.0,
 * Python 3.11's hashlib, passlib 1.7.4, drupal-hash-utility 1.0.0.
 */
export const FOREIGN_PASSWORD_HASHES: Readonly<Record<string, string>> = {
  // mkpasswd -m bcrypt -R 5
  'bcrypt $2b$': '$2b$05$C5N0IdEbL0bbtvA5scC4O.9K1JFqDOmh/N80sSKkDJ2G.2Jf29DC2',
  // mkpasswd -m bcrypt-a -R 5
  'bcrypt $2a$': '$2a$05$sV0nUucC7XQgc0M/gzWBzuelMkpGPo8KgxRdNoJtcF0D.mY1odlB6',
  // mkpasswd -m md5crypt
  'md5-crypt': '$1$nSWhaTZG$/e64RPGSlHHVxKxjhvzsi/',
  // mkpasswd -m sha256crypt
  'sha256-crypt': '$5$RhnogY2B4VVb9PyG$ADVLfvQ2hBAbFS8dy5Oyp4XiSUQXbIJs375QfY500lA',
  // mkpasswd -m sha256crypt -R 1234
  'sha256-crypt with rounds': '$5$rounds=1234$C2uoJJm2W6HvYfg/$vSDBSLlf33tBaK.pLvEUpm7OwOIN.orWBZFMDUjIeC.',
  // mkpasswd -m sha512crypt
  'sha512-crypt':
    '$6$N7iQoYADLiQGac7X$pMbAhUYV2bkLvuNukWFTuNfFXo4CnxwjQgQ7ugkAVycdE1K3VQZLgfnjbd7hbQZUkAVFQ3lagjE89epz9GjVU.',
  // mkpasswd -m sha512crypt -R 9876
  'sha512-crypt with rounds':
    '$6$rounds=9876$0VxMQje11D6hlOA2$FCMZ2ebFp1Lv.eWmhCa7SVQqPfFJPhv61DNXFgH8AZTVNFAHiWZPRD.udIXbyvcT8zlaq5tIyWvzpdR3kHLF50',
  // openssl passwd -1 -salt xy
  'md5-crypt, short salt': '$1$xy$asfumMq4niyPPTLulZQbX/',
  // openssl passwd -6 -salt s
  'sha512-crypt, short salt':
    '$6$s$URrqTeRmc9jl6bQFEl2dnBG2rbDH1TLepFK9X2UEpfekqSnZw4Ulhn8Qw6H/HqOWlPaFDDHFATZODonZlYF061',
  // passlib.hash.bcrypt.using(ident='2y', rounds=4).hash(p)
  'bcrypt $2y$': '$2y$04$o2rasOX7TZJ5QrdtTAdvJ.qADTcEl/a3H/aAH/9Uwjy5Jj5BmUcV2',
  // passlib.hash.bcrypt.using(ident='2', rounds=4).hash(p), its built-in backend
  'bcrypt $2$': '$2$04$0JpNwUGu1aJoL8qtsrpmR.clRWTzZaBsxmf.YFsvYz33YePYafo3a',
  // passlib.hash.argon2.using(type='I', memory_cost=512, rounds=2, parallelism=2).hash(p)
  argon2i: '$argon2i$v=19$m=512,t=2,p=2$VOqd857zPkcIgfD+v3fu/Q$2sHaFvN6C/Sy9RpQG+I8rvQRssz83+rcGiBLep4Wxxc',
  // passlib.hash.argon2.using(type='ID', memory_cost=512, rounds=2, parallelism=1).hash(p)
  argon2id: '$argon2id$v=19$m=512,t=2,p=1$TYlxzhnjfK9VSmnNOScEIA$dhxeK9PENLh/9CPkq/7jl2xHYFF4RGm2lxV9Up6gnUA',
  // passlib.hash.scrypt.using(rounds=10).hash(p)
  scrypt: '$scrypt$ln=10,r=8,p=1$3LsXQgiBUIoxJqQUAuC8tw$PiM4It7lBI4fo7K70dKNX8Q/564a8Ln1HMYtHGlwlZM',
  // hashlib.scrypt(p, salt=salt, n=2**12, r=4, p=2, dklen=64)
  'scrypt $7$':
    '$7$ln=12,r=4,p=2$+/8AAQIDBAUGBwgJCgsMDQ$K3Vj+jSvbIGDedba0JhB1sR9Eku3IDn0+Wy6m0yGcBSjpeDsw1B8afWj/RJrqZbvQO0+jnHIarWZ49/spFZgmg',
  // passlib.hash.pbkdf2_sha1.using(rounds=1000).hash(p)
  'pbkdf2 sha1': '$pbkdf2$1000$712Lcc4Zg9B6D2FMCcGYMw$CEz9GpXgVBNX50sYagK1FnoWlsQ',
  // passlib.hash.pbkdf2_sha256.using(rounds=1000).hash(p)
  'pbkdf2 sha256': '$pbkdf2-sha256$1000$CyHknPP.H6OUsnbuPUcIIQ$70Ee4WQjZ.JuBnkcYD3UMmSngVIywVbXwSqNr2EIgp8',
  // passlib.hash.pbkdf2_sha512.using(rounds=1000).hash(p)
  'pbkdf2 sha512':
    '$pbkdf2-sha512$1000$HqMUAiCEkBLiXGuNsVZKSQ$ja2r1wgVpnF8KLVgggWMMyKcI2RktxPCphkSWcdeLPG.f26Yht2.LPW7Z35SgbQvvOI7A64eEWGC3Lz9.qlDeQ',
  // hashlib.pbkdf2_hmac('sha224', p, salt, 2000), adapted base64
  'pbkdf2 sha224': '$pbkdf2-sha224$2000$./8AAQIDBAUGBwgJCgsMDQ$179m/HXjjPsQmBJXUKwJZH0szCV7LzFKkTe76Q',
  // hashlib.pbkdf2_hmac('sha384', p, salt, 2000), adapted base64
  'pbkdf2 sha384':
    '$pbkdf2-sha384$2000$./8AAQIDBAUGBwgJCgsMDQ$piGx6xqrE2mBBFjoXz3pTINSGgtfAHGwgziygzMY9bI/oY4RPe9QUPLJYmnXZ/hG',
  // hashlib.pbkdf2_hmac('sha256', p, salt, 2750, 64), padded base64 as Keycloak stores it
  'pbkdf2 sha256, a longer key':
    '$pbkdf2-sha256$2750$+/8AAQIDBAUGBwgJCgsMDQ==$5p/sRRP0j26kEg3h88ALGPzeiIaykIFqhZXTYNXpWb/xNVQXjNrr+LqLBR7Ftdn2n5shO5yTPHtItacBz2+LAQ==',
  // hashlib.md5(p).hexdigest()
  md5plain: '8de1c731822d852eb15fcfd0bbf9e56a',
  // hashlib.md5(p).hexdigest().upper()
  'md5plain in upper case': '8DE1C731822D852EB15FCFD0BBF9E56A',
  // base64.b64encode(hashlib.md5(p + salt).digest())
  'md5salted-suffix': '$md5salted-suffix$a-Salt.9$DiuU8Yp6uCiDYQP365WSQw==',
  // base64.b64encode(hashlib.md5(salt + p).digest())
  'md5salted-prefix': '$md5salted-prefix$a-Salt.9$8i9ZXHuaU/LDx41uwHb7MQ==',
  // passlib.hash.phpass.using(rounds=13).hash(p)
  'phpass $P$': '$P$BaVOcPqNMgl.iZnoTXT1jI/gEukYWy1',
  // passlib.hash.phpass.using(ident='H', rounds=11).hash(p)
  'phpass $H$': '$H$9rXfTXAottiePAAXemFUW.llN2vpl00',
  // drupal_hash_utility.DrupalHashUtility().encode(p)
  drupal7: '$S$DO8uivd32k7jjKI8qGz6N3m9CewSR9cU3lX9NPTggB7pjxBAI2wh',
}

/** [length, hash] of passwords of that many x, where the algorithms repeat and cut: Python 3.11's crypt.crypt, libxcrypt. */
export const CRYPT_EDGE_HASHES: readonly (readonly [number, string])[] = [
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
