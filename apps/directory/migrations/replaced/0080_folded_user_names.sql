-- User names are compared by case folding, with wide and narrow forms mapped (RFC 8265 section 3.3): straße, STRASSE and
-- strasse are one name. The keys that stand are those of NFC and lower case; what follows folds them. A key whose folded form
-- another account of the organization has stays as it is: that account still signs in by the spelling that it has. Where two
-- fold to one key, the older account gets it.

WITH longer (letter, folded) AS (
  VALUES
    ('ß', 'ss'), ('ŉ', 'ʼn'), ('և', 'եւ'), ('ẚ', 'aʾ'), ('ᾀ', 'ἀι'), ('ᾁ', 'ἁι'), ('ᾂ', 'ἂι'), ('ᾃ', 'ἃι'), ('ᾄ', 'ἄι'), ('ᾅ', 'ἅι'),
    ('ᾆ', 'ἆι'), ('ᾇ', 'ἇι'), ('ᾐ', 'ἠι'), ('ᾑ', 'ἡι'), ('ᾒ', 'ἢι'), ('ᾓ', 'ἣι'), ('ᾔ', 'ἤι'), ('ᾕ', 'ἥι'), ('ᾖ', 'ἦι'), ('ᾗ', 'ἧι'),
    ('ᾠ', 'ὠι'), ('ᾡ', 'ὡι'), ('ᾢ', 'ὢι'), ('ᾣ', 'ὣι'), ('ᾤ', 'ὤι'), ('ᾥ', 'ὥι'), ('ᾦ', 'ὦι'), ('ᾧ', 'ὧι'), ('ᾲ', 'ὰι'), ('ᾳ', 'αι'),
    ('ᾴ', 'άι'), ('ᾷ', 'ᾶι'), ('ῂ', 'ὴι'), ('ῃ', 'ηι'), ('ῄ', 'ήι'), ('ῇ', 'ῆι'), ('ῲ', 'ὼι'), ('ῳ', 'ωι'), ('ῴ', 'ώι'), ('ῷ', 'ῶι'),
    ('ﬀ', 'ff'), ('ﬁ', 'fi'), ('ﬂ', 'fl'), ('ﬃ', 'ffi'), ('ﬄ', 'ffl'), ('ﬅ', 'st'), ('ﬆ', 'st'), ('ﬓ', 'մն'), ('ﬔ', 'մե'), ('ﬕ', 'մի'),
    ('ﬖ', 'վն'), ('ﬗ', 'մխ')
), renamed AS (
  SELECT a.user_id, a.organization_id, a.user_name_is_global, a.user_name_key, a.created_at,
         normalize(translate(
           (SELECT string_agg(coalesce(l.folded, c.letter), '' ORDER BY c.place)
              FROM regexp_split_to_table(a.user_name_key, '') WITH ORDINALITY AS c (letter, place)
              LEFT JOIN longer l ON l.letter = c.letter COLLATE "C"),
           'µſͅςϐϑϕϖϰϱϵᲀᲁᲂᲃᲄᲅᲆᲇᲈẛ！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠［＼］＾＿｀ａ'
      'ｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～｟｠｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽ'
      'ｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟﾠﾡﾢﾣﾤﾥﾦﾧﾨﾩﾪﾫﾬﾭﾮﾯﾰﾱﾲﾳﾴﾵﾶﾷﾸﾹ'
      'ﾺﾻﾼﾽﾾￂￃￄￅￆￇￊￋￌￍￎￏￒￓￔￕￖￗￚￛￜ￠￡￢￤￥￦￨￩￪￫￬￭￮',
           'μsισβθφπκρεвдосттъѣꙋṡ!"#$%&''()*+,-./0123456789:;<=>?@[\]^_`a'
      'bcdefghijklmnopqrstuvwxyz{|}~⦅⦆。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシス'
      'セソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゙゚ᅠᄀᄁᆪᄂᆬᆭᄃᄄᄅᆰᆱᆲᆳᆴᆵᄚᄆᄇᄈᄡᄉᄊᄋᄌᄍ'
      'ᄎᄏᄐᄑ하ᅢᅣᅤᅥᅦᅧᅨᅩᅪᅫᅬᅭᅮᅯᅰᅱᅲᅳᅴᅵ¢£¬¦¥₩│←↑→↓■○'), NFC) AS folded
    FROM directory.account a
   WHERE a.user_name_key COLLATE "C" ~ '[^ -~]'
), first AS (
  SELECT r.*,
         row_number() OVER (PARTITION BY r.organization_id, r.folded ORDER BY r.created_at, r.user_id) AS in_organization,
         row_number() OVER (PARTITION BY r.user_name_is_global, r.folded ORDER BY r.created_at, r.user_id) AS in_instance
    FROM renamed r
   WHERE r.folded <> r.user_name_key COLLATE "C"
)
UPDATE directory.account a SET user_name_key = f.folded
  FROM first f
 WHERE a.user_id = f.user_id AND f.in_organization = 1
   AND NOT EXISTS (SELECT FROM directory.account o
                    WHERE o.user_name_key = f.folded AND o.organization_id = f.organization_id)
   AND (NOT f.user_name_is_global
        OR (f.in_instance = 1
            AND NOT EXISTS (SELECT FROM directory.account o WHERE o.user_name_key = f.folded AND o.user_name_is_global)));

COMMENT ON COLUMN directory.account.user_name_key IS
  'user_name as sign-in compares it: width mapped, NFC, case folded, the domain after an @ in ASCII';
COMMENT ON COLUMN directory.account.email_key IS 'email as sign-in compares it: NFC, lower case, the domain in ASCII';
