/** The password of every user in `FOREIGN_PASSWORD_HASHES`: `p` and the argument of the commands below. */
export const FOREIGN_PASSWORD = 'Correct-horse-9 é 🐎'

/**
 * Hashes made once by other programs than ours, each below the command that made it: mkpasswd 5.5.17, openssl 3.0,
 * Python 3.11's hashlib and hmac, passlib 1.7.4, drupal-hash-utility 1.0.0, Django 5.2.19, Werkzeug 3.1.9, argon2-cffi 25.1.0,
 * bcrypt 5.0.0, cryptography 50.0.2. `s` is b'0123456789abcdef'.
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
  // PBKDF2PasswordHasher().encode(p, 'a-Salt.9', 1000)
  'Django pbkdf2_sha256': 'pbkdf2_sha256$1000$a-Salt.9$3bQU6iA2tQlYNHeIlnkP76kR19LyaR+4t7PaEHm6ZrE=',
  // PBKDF2SHA1PasswordHasher().encode(p, 'a-Salt.9', 1000)
  'Django pbkdf2_sha1': 'pbkdf2_sha1$1000$a-Salt.9$1fMLzk1vshKLgCHarljZEm3hUNE=',
  // ScryptPasswordHasher().encode(p, 'a-Salt.9', n=2**10)
  'Django scrypt':
    'scrypt$1024$a-Salt.9$8$5$0b0JVxUbvpa2P/j3DIAGjxpSrY8YruVA3C16K529xsADgoU9rkMNNs2f+x4CisQQFhxA9MUzYRk5gNjCEMo78Q==',
  // BCryptSHA256PasswordHasher with rounds = 4, encode(p, salt())
  'Django bcrypt_sha256': 'bcrypt_sha256$$2b$04$emy0Zjj1O7QkMP/A2.UcL.lkWJ5QWmUZyySTAfXUWGcsUcgVaPYoi',
  // BCryptPasswordHasher with rounds = 4, encode(p, salt())
  'Django bcrypt': 'bcrypt$$2b$04$y.Tkwr5tCq7HggG9J3lz6epRlMt9M5QRG2vFjRVMYxnvW.uhUvf2e',
  // Argon2PasswordHasher with memory_cost = 512, parallelism = 2, encode(p, 'a-Salt.9')
  'Django argon2':
    'argon2$argon2id$v=19$m=512,t=2,p=2$YS1TYWx0Ljk$amGu4zP8PNQgH+aKniQzgH/3KdFc9Eyac/MU465M+no',
  // generate_password_hash(p, 'pbkdf2:sha256:1000')
  'Werkzeug pbkdf2':
    'pbkdf2:sha256:1000$QnQPMGDCb5aVnmlt$077f015afadca067951d367ba648ee0e48de8c6bcd7490512e7f27f6f8737989',
  // generate_password_hash(p, 'scrypt:1024:8:1')
  'Werkzeug scrypt':
    'scrypt:1024:8:1$MnixIprrD5QN5NAj$f60c33e9be7717af43febcdfd2e1828338a5a999bac0fab2368124cc299388e44ea0d9eec31a7177f62f4989290ec1e598cf92d3d8932fc398c453ee39df03ab',
  // hashlib.pbkdf2_hmac('sha512', p, s, 1000, 32), the spelling of Kratos
  'PHC pbkdf2':
    '$pbkdf2-sha512$i=1000,l=32$MDEyMzQ1Njc4OWFiY2RlZg$fqLDEXdHxt2Izb2dn9/xYQjfHHDDliV+UHJbGDShmsw',
  // hashlib.scrypt(p, salt=s, n=2**10, r=8, p=1, dklen=32), N in place of its logarithm
  'Kratos scrypt':
    '$scrypt$ln=1024,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg==$IK48qDAvOH++xVjOrgkGi4nsdc/4IYFEZ59bzegD0cg=',
  // passlib.hash.ldap_sha1.hash(p)
  '{SHA}': '{SHA}3un74qsmN4TKtJ2TaL+l5OoI/HU=',
  // passlib.hash.ldap_salted_sha1.hash(p)
  '{SSHA}': '{SSHA}m4BHHQOoIUo69qL0DHLi4yufekAmBCCk',
  // passlib.hash.ldap_md5.hash(p)
  '{MD5}': '{MD5}jeHHMYIthS6xX8/Qu/nlag==',
  // passlib.hash.ldap_salted_md5.hash(p)
  '{SMD5}': '{SMD5}emUJJMpPSfniqChdslzTB0Lo3Vs=',
  // passlib.hash.ldap_salted_sha256.hash(p)
  '{SSHA256}': '{SSHA256}NOYZ+BYiDULhmuhsUkk/Xw8NvSuEgdlY3XHWfXbJXBFfq/VeK+U85w==',
  // passlib.hash.ldap_salted_sha512.hash(p)
  '{SSHA512}':
    '{SSHA512}JkASHTPW9wsUdzXJ5Km+XtRDI6KggZEGSlvf0QZFhvynQjZOwX8Qk1aaxjBLzSVk63PkhlKs5zlhD0ZzDt6srcI4h3AOgVCq',
  // base64.b64encode(hashlib.sha256(p).digest())
  '{SHA256}': '{SHA256}pSjqZB7AEvzPgYqrSnQGNxdp25pBu7i25OcWaeknuLY=',
  // base64.b64encode(hashlib.sha384(p).digest())
  '{SHA384}': '{SHA384}Aubj9xWOWlAKpgX+4Luj5/+Lx9JywQzyhVmGASF5hGzuO9dYVzyZneQNKci0vCbO',
  // base64.b64encode(hashlib.sha512(p).digest())
  '{SHA512}':
    '{SHA512}eGrFI4KcQKYXdDSNjnBsfCqBuJlIjSaK0FNl7KbB8OnQES8t6Bu/Zcb9WeIWO2m3dJzBbfq6JZEqy3KFnIHGTw==',
  // passlib.hash.ldap_sha512_crypt.using(rounds=1000).hash(p)
  '{CRYPT}':
    '{CRYPT}$6$rounds=1000$bGZKQpM43xmZg1xi$HCwiTqMauOwBqHuicMg9qS6B3xZDIkdWLjc/XlLmKB8r8t97gXWvK8Tx9Qg4Nen7LP0ptO0/NscVVttWzRwZm.',
  // passlib.hash.ldap_pbkdf2_sha256.using(rounds=1000).hash(p)
  '{PBKDF2-SHA256}': '{PBKDF2-SHA256}1000$HGMMQei9V.od43zvHcP43w$/2IitgPVcTyFSoIUnkagcsr0.Pd5UyDNJQt2i394AUQ',
  // passlib.hash.ldap_pbkdf2_sha1.using(rounds=1000).hash(p)
  '{PBKDF2}': '{PBKDF2}1000$wrj3/h/D.J8zhrAWgnCu9Q$doWNCll/l9OZZSIFxzWPCrwNHAE',
  // passlib.hash.atlassian_pbkdf2_sha1.hash(p)
  '{PKCS5S2}': '{PKCS5S2}OkfIOQfAuDfmXIsxBiAEgNj6y7Ou+pTBGbQEhsDp4hvzWubgIdQbBYGObKtrRjPW',
  // hashlib.sha1 of {SALT}{PASSWORD} with the salt a-Salt.9
  'Kratos sha1': '$sha1$pf=e1NBTFR9e1BBU1NXT1JEfQ==$YS1TYWx0Ljk=$mW1qygmbIF8CRC5ZF3SKfxbxxIY=',
  // hashlib.sha256 of {PASSWORD}:{SALT} with the salt a-Salt.9
  'Kratos sha256':
    '$sha256$pf=e1BBU1NXT1JEfTp7U0FMVH0=$YS1TYWx0Ljk=$CyIFX5/QHas9X+xm3FEZCPq4prD+UNslNqUWWA05eR8=',
  // hashlib.sha512 of x{SALT}{PASSWORD}y with the salt a-Salt.9
  'Kratos sha512':
    '$sha512$pf=eHtTQUxUfXtQQVNTV09SRH15$YS1TYWx0Ljk=$P3lzvq3wjNgk+7lyn0ShFyb4Igkz2lO91p+Y1yZr9SOJs1hx+K6z3K0B3n1Gi9AS5a3fWMfVnzki7WyhrYSv6A==',
  // hashlib.md5 of {PASSWORD}{SALT} with the salt a-Salt.9
  'Kratos md5': '$md5$pf=e1BBU1NXT1JEfXtTQUxUfQ==$YS1TYWx0Ljk=$DiuU8Yp6uCiDYQP365WSQw==',
  // hashlib.sha256(p)
  'Kratos sha256, no salt': '$sha256$pf=e1BBU1NXT1JEfQ==$$pSjqZB7AEvzPgYqrSnQGNxdp25pBu7i25OcWaeknuLY=',
  // hashlib.md5(p)
  'Kratos md5, no salt': '$md5$jeHHMYIthS6xX8/Qu/nlag==',
  // hmac.new(b'a-key', p, 'md5').hexdigest()
  'hmac-md5': '$hmac-md5$YTM5OTQzNmQ5MjA1YzAzNTkyOTg4ZjA2ZjZmYjI5M2M=$YS1rZXk=',
  // hmac.new(b'a-key', p, 'sha256').hexdigest()
  'hmac-sha256':
    '$hmac-sha256$NGFhZTRiOGM1ZTQxZjBkZjJiMGQ0N2I4OGY1ZDliNTAyMTZkNjI1ZmU2MWYwOGI2ZWYzNzcxNTEzYjU3MmRjYQ==$YS1rZXk=',
  // hmac.new(b'a-key', p, 'sha512').hexdigest()
  'hmac-sha512':
    '$hmac-sha512$MGY5YTMwMWU2NWFlZmY4MjdiZmRmY2QyMDM1YTFjZTdhNWExZTg2MDFhZDg4NWZmNmIwNTdhZWMwZmUzNmU5NGQ1Y2ExMWZjOTM2MjYxNzU3ZTgyNDFiMmFiMjY2ZTA1ZjQ2ZDNjNmM2MjI1ZTM1YWNhMWQyMmRlNjYwMTk5ZWI=$YS1rZXk=',
  // passlib.hash.md5_crypt.hash(p)
  'Kratos md5-crypt': '$md5-crypt$TAEfwnb.$WrLELhswOpmVRQ.GorexZ0',
  // passlib.hash.sha256_crypt.using(rounds=1000).hash(p)
  'Kratos sha256-crypt':
    '$sha256-crypt$rounds=1000$59ApZD2M3/T68Z0J$O/kyukTGmcqzR6QtcrJ0nhh.ZPLnHHyz7uMOG9oSMw4',
  // passlib.hash.sha512_crypt.using(rounds=1000).hash(p)
  'Kratos sha512-crypt':
    '$sha512-crypt$rounds=1000$Hy/dSDQ/XVnS8Y4F$oz0378/vuVpnW3qec54IoJqJC9a8T2m.SsWG5buWGL5idAmNutr39ayUdxe.MqLIgkL5nm/zB8HkVTJjWyGxX1',
  // bcrypt.hashpw(base64.b64encode(hmac.new(b'wp-sha384', p, 'sha384').digest()), bcrypt.gensalt(4))
  'WordPress $wp$': '$wp$2y$04$c8Mpwt4oQ5FQa5D/y6xLn.6/n2JRmyItXgtlCksR15/wP9391hb0S',
  // base64.b64encode(b'\0' + s + hashlib.pbkdf2_hmac('sha1', p, s, 1000, 32))
  'ASP.NET Identity v2': 'ADAxMjM0NTY3ODlhYmNkZWbrUsnd1ewpjGRW0MQXJ9c1b4mDoUaHmFoNz0cysMxP+A==',
  // base64.b64encode(b'\1' + struct.pack('>III', 2, 1000, 16) + s + hashlib.pbkdf2_hmac('sha512', p, s, 1000, 32))
  'ASP.NET Identity v3':
    'AQAAAAIAAAPoAAAAEDAxMjM0NTY3ODlhYmNkZWZ+osMRd0fG3YjNvZ2f3/FhCN8ccMOWJX5QclsYNKGazA==',
  // hashlib.scrypt(unicodedata.normalize('NFKC', p), salt=s.hex(), n=16384, r=16, p=1, dklen=64)
  'Better Auth':
    '30313233343536373839616263646566:71eb4e64c62a798ce7729e7762f16fa8cca985489e03fdd92aeba6377942434efdc87967c654dc5b04a8a4237082f6a496ffb73a2eb3d9a8a19cff37663135bf',
  // the AES-CTR under hashlib.scrypt(p, salt=s + b'\x07', n=2**10, r=8, p=1, dklen=32) of bytes(range(64))
  'Firebase scrypt':
    '$firescrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg==$mf4kxFhnTh3w0WsLyHU+Bc/99V89D4qqCt2DZQdyBLoLIKAbNez7BPMCA/6ac+6iwnpX/jMgGN/qpJmrxjrpLQ==$Bw==$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw==',
  // argon2.low_level.hash_secret_raw(p, s, 2, 512, 1, 32, Type.ID)
  'Keycloak argon2':
    '{"type":"password","secretData":"{\\"value\\":\\"LWj4c//F3K4izFWq6bv6ce7GdpG5gAJQn7nKsnfMJgI=\\",\\"salt\\":\\"MDEyMzQ1Njc4OWFiY2RlZg==\\",\\"additionalParameters\\":{}}","credentialData":"{\\"hashIterations\\":2,\\"algorithm\\":\\"argon2\\",\\"additionalParameters\\":{\\"hashLength\\":[\\"32\\"],\\"memory\\":[\\"512\\"],\\"type\\":[\\"id\\"],\\"version\\":[\\"1.3\\"],\\"parallelism\\":[\\"1\\"]}}"}',
  // hashlib.pbkdf2_hmac('sha512', p, s, 1000, 64)
  'Keycloak pbkdf2-sha512':
    '{"secretData":{"value":"fqLDEXdHxt2Izb2dn9/xYQjfHHDDliV+UHJbGDShmsw24c6FvrmYOa9gOJ0ZsQv6a2jprI6vsyk7d5p8o+zXSw==","salt":"MDEyMzQ1Njc4OWFiY2RlZg=="},"credentialData":{"hashIterations":1000,"algorithm":"pbkdf2-sha512","additionalParameters":{}}}',
  // passlib.hash.bcrypt_sha256.using(rounds=4).hash(p)
  'passlib bcrypt-sha256':
    '$bcrypt-sha256$v=2,t=2b,r=4$OsT.lakweRKJUYKKf61KVO$jZws8RXW9pDa4dWwSID/LZ/.YkKsX0q',
}
