/// The code points of every script, with the script's names, from Unicode 17.
///
/// The table is generated from the Unicode Character Database. See `UnicodeRanges` for its format.
enum ScriptTable {
  static let text: StaticString = """
    Adlam,Adlm: 2olc.23 5.9 5.1
    Ahom: 1j40.q 3.e 5.m
    Anatolian_Hieroglyphs,Hluw: 1s00.g6
    Arabic,Arab: 16o.4 2.5 2.d 2.2 2.v 2.9 c.p 2.2z 2.x 29.1b 6p.x 6.22 2.s 1bv5.dp 3.3z x.f 35.4 2.3q 31g.u 1w.5 \
    9.8 y.5 181t.3 2.q 2.1 2 3 2.9 2.3 2 2 7 5 2 2 2.2 2.1 2 3 2 2 2 2 2.1 2 3.3 2.6 2.3 2.3 2 2.9 2.g 6.2 2.4 2.g \
    1h.1
    Armenian,Armn: 10x.11 3.1d 3.2 1chw.4
    Avestan,Avst: 1gqo.1h 4.6
    Balinese,Bali: 5c0.24 2.1d
    Bamum,Bamu: www.2f 124p.fs
    Bassa_Vah,Bass: 1zo0.t 3.5
    Batak,Batk: 5hc.1f 9.3
    Bengali,Beng: 1vk.3 2.7 3.1 3.l 2.6 2 4.3 3.8 3.1 3.3 9 5.1 2.4 3.o
    Beria_Erfe,Berf: 20f4.o 3.o
    Bhaiksuki,Bhks: 1k3k.8 2.18 2.d b.s
    Bopomofo,Bopo: kq.1 93u.16 35.v
    Brahmi,Brah: 1hq8.25 5.z a
    Braille,Brai: 7wg.73
    Buginese,Bugi: 54w.r 3.1
    Buhid,Buhd: 4lc.j
    Canadian_Aboriginal,Cans: 3y8.hr fl.1x 1ewr.f
    Carian,Cari: 1f34.1c
    Caucasian_Albanian,Aghb: 1flc.1f c
    Chakma,Cakm: 1hxc.1g 2.h
    Cham: xkw.1i a.d 3.9 3.3
    Cherokee,Cher: 3vk.2d 3.5 twz.27
    Chorasmian,Chrs: 1ho0.r
    Common,Zyyy: 0.1s r.5 r.1a 2.e 2.4 o w ci.12 6.4 3.j 39 a 7 2 hq 7 f 4 x 4d ed 3m.1 yi ba.3 83 168.2 20.1 5o.1 2 \
    y6 e 8.3 2.5 2.2 3 li.b 3.2e 2.a 4.a 2.e i.x 1r.11 2.2 3.5 2.q 2.g 16.2 5.ih n.a m.pr 75.hf 3.3t e9.2l b7.k 2 \
    2.o g.7 5.3 2k.1 4 2j.1 44.f x.11 a 1d.1r w.28 1c 2h.4n 535.1r hkx.x 2v.2 4m.9 6t 4h b0 f.1 g5v.1 5t.9 n.y 2.i \
    2.3 44 2.v r.5 r.a b 1a.1 1t.6 2.6 b.4 77.2 5.18 4.8 29.c 1g.18 6d.q 10o5.3 319.70 4.c3 7.m g.g 2o.37 1p.6t b.12 \
    3.1p 4.g 9.1 8.t 5.1o 5y.j d.j d.2e a.o 3s.2c 2.1y 2.1 3 3.1 3.3 2.b 2 2.6 2.1s 2.3 3.7 2.6 2.r 2.3 2.4 2 4.6 \
    2.9f 3.83 3.1d 41e.1v 25.1o jn.17 5.2r d.e 3.e 2.e 2.10 b.4t 1l.p 2.1 e.17 5.8 8.1 f.5 4b.rc 4.g 4.c 4.61 7.b 5 \
    g.b 5.1j 9.9 7.13 9.t 3.b 5.1 f.8 14.9j 9.d 3.c 4.a 4.1k 2 5.f 3.b 5.9 8.42 2.2u gvlz v.2n
    Coptic,Copt,Qaac: rm.d 80h.37 6.6
    Cuneiform,Xsux: 1kw0.pl 2v.32 2.4 c.5f
    Cypriot,Cprt: 1g5c.5 3 2.17 2.1 4 3
    Cypro_Minoan,Cpmn: 1nyo.2q
    Cyrillic,Cyrl: sg.3o 3.4o 4lt.a 4h 25 38o.v nr5.2n han.1 18n5.1p y
    Deseret,Dsrt: 1fcw.27
    Devanagari,Deva: 1s0.28 5.e 3.p vhd.v mip.9
    Dives_Akuru,Diak: 1ji8.6 3 3.7 2.1 2.t 2.1 3.b a.9
    Dogra,Dogr: 1jb4.1n
    Duployan,Dupl: 2fpc.2y 6.c 4.8 8.9 3.3
    Egyptian_Hieroglyphs,Egyp: 1o1s.ut b.32y
    Elbasan,Elba: 1fk0.13
    Elymaic,Elym: 1hpc.m
    Ethiopic,Ethi: 3k0.20 2.3 3.6 2 2.3 3.14 2.3 3.w 2.3 3.6 2 2.3 3.e 2.1k 2.3 3.1u 3.v 4.p 547.m a.6 2.6 2.6 2.6 \
    2.6 2.6 2.6 2.6 opv.5 3.5 3.5 a.6 2.6 1qk2.6 2.3 2.1 2.e
    Garay,Gara: 1h6o.11 4.s 9.1
    Georgian,Geor: 3a8.11 2 6 3.16 2.3 2a9.16 3.2 37l.11 2 6
    Glagolitic,Glag: 8ow.2n 2e1t.6 2.g 3.6 2.1 2.4
    Gothic,Goth: 1f74.q
    Grantha,Gran: 1ibk.3 2.7 3.1 3.l 2.6 2.1 2.4 3.8 3.1 3.2 3 7 6.6 3.6 4.4
    Greek,Grek: og.3 2.2 3.3 2 5 2 2.2 2 2.j 2.1q f.f 4yv.4 1f.4 5.4 2d 8x.l 3.5 3.11 3.5 3.7 2 2 2 2.u 3.1g 2.e 2.d \
    3.5 2.i 3.2 2.8 88 rb3 gyj.26 i 155s.1x
    Gujarati,Gujr: 22p.2 2.8 2.2 2.l 2.6 2.1 2.4 3.9 2.2 2.2 3 g.3 3.b 8.6
    Gunjala_Gondi,Gong: 1kdc.5 2.1 2.10 2.1 2.5 8.9
    Gurmukhi,Guru: 1z5.2 2.5 5.1 3.l 2.6 2.1 2.1 2.1 3 2.4 5.1 3.2 4 8.3 2 8.g
    Gurung_Khema,Gukh: 1xq8.1l
    Hangul,Hang: 3cw.73 5yn.1 76.2l 36.u 1u.u nhe.s hw.8mb d.m 5.1c 7tx.u 4.5 3.5 3.5 3.2
    Hani,Han: 96o.p 2.2g d.5x 1c 2 q.8 f.3 qt.533 1t.g73 hkx.a5 3.2x n49.1 d.6 sga.wyn x.3dp 3.4gd 3.5rk g.h9 1wj.f1 \
    15v.3t6 6.6jt
    Hanifi_Rohingya,Rohg: 1h4w.13 9.9
    Hanunoo,Hano: 4kg.k
    Hatran,Hatr: 1gbk.i 2.1 6.4
    Hebrew,Hebr: 13l.1i 9.q 5.5 1cfd.p 2.4 2 2.1 2.1 2.9
    Hiragana,Hira: 9j5.2d 7.2 23qa.7y j u.2 cry
    Imperial_Aramaic,Armi: 1g74.l 2.8
    Inherited,Zinh,Qaai: lc.33 7q.1 cl.a r kh.3 3fg.19 3.b dh.2 2.c 2.6 5 7 4.1 5j.1r el.1 5f.w 30a.3 30.1 14km.f \
    h.d r4 6b 38b 1139.19 3.m f5.2 i.7 3.6 v.3 h45v.6n
    Inscriptional_Pahlavi,Phli: 1gtc.i 6.7
    Inscriptional_Parthian,Prti: 1gsg.l 3.7
    Javanese,Java: xhc.25 3.9 5.1
    Kaithi,Kthi: 1hts.1u b
    Kannada,Knda: 2gw.c 2.2 2.m 2.9 2.4 3.8 2.2 2.3 8.1 6.2 2.3 3.9 2.2
    Katakana,Kana: 9lt.2h 3.2 6p.f 5t.1a 2.2f 14b3.9 2.18 ytv.3 2.6 2.1 2 80.2 1f f.3
    Kawi: 1kow.g 2.14 4.s
    Kayah_Li,Kali: xds.19 2
    Kharoshthi,Khar: 1gjk.3 2.1 6.7 2.2 2.s 3.2 5.9 8.8
    Khitan_Small_Script,Kits: 20o4 5cs.d1 16
    Khmer,Khmr: 4n4.2l 3.9 7.9 dj.v
    Khojki,Khoj: 1i4g.h 2.1a
    Khudawadi,Sind: 1i9c.1m 6.9
    Kirat_Rai,Krai: 205c.1l
    Laoo,Lao: 2v5.1 2 2.4 2.n 2 2.m 3.4 2 2.6 2.9 3.3
    Latin,Latn: 1t.p 7.p 1c g 6.m 2.u 2.cg 14.4 55o.11 7.1c 6.3 6.c 2.1x 1u.73 aa e h.c 3y.1 7 s i.14 254.v o83.2t \
    4.29 l.e mp.16 2.8 2.3 fpz.6 t7.p 7.p 1ly.5 2.15 2.8 16iu.u 7.5
    Lepcha,Lepc: 5j4.1j 4.e 4.2
    Limbu,Limb: 4xs.u 2.b 5.b 5 4.b
    Linear_A,Lina: 1fr4.8m a.l b.7
    Linear_B,Linb: 1ekg.b 2.p 2.i 2.1 2.e 3.d z.3e
    Lisu: wk0.1b o8h
    Lycian,Lyci: 1f28.s
    Lydian,Lydi: 1gdc.p 6
    Mahajani,Mahj: 1hzk.12
    Makasar,Maka: 1ko0.o
    Malayalam,Mlym: 2kg.c 2.2 2.1e 2.2 2.5 5.f 3.p
    Mandaic,Mand: 1mo.r 3
    Manichaean,Mani: 1gow.12 5.b
    Marchen,Marc: 1k6o.v 3.l 2.d
    Masaram_Gondi,Gonm: 1kao.6 2.1 2.17 4 2.1 2.8 9.9
    Medefaidrin,Medf: 20cg.2i
    Meetei_Mayek,Mtei: xr4.m 5m.19 3.9
    Mende_Kikakui,Mend: 2oe8.5g 3.f
    Meroitic_Cursive,Merc: 1ggw.n 5.j 3.19
    Meroitic_Hieroglyphs,Mero: 1gg0.v
    Modi: 1iww.1w c.9
    Mongolian,Mong: 4qo.1 3 2.j 7.2g 8.16 1e46.c
    Mroo,Mro: 1zk0.u 2.9 5.1
    Multani,Mult: 1i80.6 2 2.3 2.e 2.a
    Myanmar,Mymr: 35s.4f u9t.u 2q.v le9.j
    Nabataean,Nbat: 1g8w.u 9.8
    Nag_Mundari,Nagm: 2nrk.15
    Nandinagari,Nand: 1jmo.7 3.19 3.a
    New_Tai_Lue,Talu: 51c.17 5.p 7.a 4.1
    Newa: 1iio.2j 2.4
    Nkoo,Nko: 1j4.1m 3.2
    Nushu,Nshu: 20o1 cy7.az
    Nyiakeng_Puachue_Hmong,Hmnp: 2n0g.18 4.d 3.9 5.1
    Ogham,Ogam: 4g0.s
    Ol_Chiki,Olck: 5lc.1b
    Ol_Onal,Onao: 2nyo.16 5
    Old_Hungarian,Hung: 1h1c.1e e.1e 8.5
    Old_Italic,Ital: 1f5s.z a.2
    Old_North_Arabian,Narb: 1gn4.v
    Old_Permic,Perm: 1f80.16
    Old_Persian,Xpeo: 1fa8.z 5.d
    Old_Sogdian,Sogo: 1hj4.13
    Old_South_Arabian,Sarb: 1gm8.v
    Old_Turkic,Orkh: 1gxs.20
    Old_Uyghur,Ougr: 1hm8.p
    Oriya,Orya: 269.2 2.7 3.1 3.l 2.6 2.1 2.4 3.8 3.1 3.2 8.2 5.1 2.4 3.h
    Osage,Osge: 1fhs.z 5.z
    Osmanya,Osma: 1fgg.t 3.9
    Pahawh_Hmong,Hmng: 1zpc.1x b.9 2.6 2.k 6.i
    Palmyrene,Palm: 1g80.v
    Pau_Cin_Hau,Pauc: 1juo.1k
    Phags_Pa,Phag: x8g.1j
    Phoenician,Phnx: 1gcg.r 4
    Plrd,Miao: 20hs.22 5.1k 8.g
    Psalter_Pahlavi,Phlp: 1gu8.h 8.3 d.6
    Rejang,Rjng: xf4.z c
    Runic,Runr: 4gw.22 4.a
    Samaritan,Samr: 1kw.19 3.e
    Saurashtra,Saur: xa8.1x 9.b
    Sharada,Shrd: 1i0w.2n 1vl.7
    Shavian,Shaw: 1ff4.1b
    Siddham,Sidd: 1itc.1h 3.11
    Sidetic,Sidt: 1ge8.p
    SignWriting,Sgnw: 2l8g.i3 g.4 2.e
    Sinhala,Sinh: 2o1.2 2.h 4.n 2.8 2 3.6 4 5.5 2 2.7 7.9 3.2 1fcd.j
    Sogdian,Sogd: 1hkg.15
    Sora_Sompeng,Sora: 1hw0.o 8.9
    Soyombo,Soyo: 1jrk.2a
    Sundanese,Sund: 5fk.1r 75.7
    Sunuwar,Sunu: 1k1s.x f.9
    Syloti_Nagri,Sylo: x6o.18
    Syriac,Syrc: 1ds.d 2.1n 3.2 7l.a
    Tagalog,Tglg: 4jk.l a
    Tagbanwa,Tagb: 4m8.c 2.2 2.1
    Tai_Le,Tale: 500.t 3.4
    Tai_Tham,Lana: 55s.1q 2.s 3.a 7.9 7.d
    Tai_Viet,Tavt: xog.1u p.4
    Tai_Yo,Tayo: 2o5c.u 2.l 9.1
    Takri,Takr: 1j0g.1l 7.9
    Tamil,Taml: 29u.1 2.5 4.2 2.3 4.1 2 2.1 4.1 4.2 4.b 5.4 4.2 2.3 3 7 f.k 1ih2.1d e
    Tangsa,Tnsa: 1zlc.26 2.9
    Tangut,Tang: 20o0 w.5bz e9.u 2q.36
    Telugu,Telu: 2dc.c 2.2 2.m 2.f 3.8 2.2 2.3 8.1 2.2 2.1 3.3 3.9 8.8
    Thaana,Thaa: 1hc.1d
    Thai: 2rl.1l 6.r
    Tibetan,Tibt: 2yo.1z 2.z 5.12 2.z 2.e 2.6 5.1
    Tifinagh,Tfng: 8xc.1j 8.1 f
    Tirhuta,Tirh: 1im8.1z 9.9
    Todhri,Todr: 1fpc.1f
    Tolong_Siki,Tols: 1kfk.17 5.9
    Toto: 2nbk.u
    Tulu_Tigalari,Tutg: 1if4.9 2 3 2.11 2.9 2 3 2.3 2.9 2.1 9.1
    Ugaritic,Ugar: 1f9c.t 2
    Vaii,Vai: wlc.8b
    Vithkuqi,Vith: 1fn4.a 2.e 2.6 2.1 2.a 2.e 2.6 2.1
    Wancho,Wcho: 2ncw.1l 6
    Warang_Citi,Wara: 1jfk.2a d
    Yezidi,Yezi: 1hfk.15 2.2 3.1
    Yiii,Yi: vls.wc 4.1i
    Zanabazar_Square,Zanb: 1jpc.1z
    """
}

/// The code points that each script uses in addition to its own (Script_Extensions without Script), from Unicode 17.
///
/// The table is generated from the Unicode Character Database. See `UnicodeRanges` for its format.
enum ScriptExtensionTable {
  static let text: StaticString = """
    Adlam: 17j x 55b 2r6
    Arabic: 170 f 4 x b.a r 53z 2r6 14vx.1 141.r
    Armenian: lk
    Avestan: 53 8zd.1
    Bengali: jg 1at.1 i.1 3u3 2 3.1 2 9 9 3 5 3.2 rne
    Bopomofo: jr 2.2 e 8x4.2 5.9 2.c b.3 3 7 5g 14ju.1 7v.4
    Buginese: xjj
    Buhid: 4l1.1
    Carian: 53 68z 3 2qc
    Caucasian_Albanian: lg 19 19
    Chakma: 1ye.9 18x.9
    Cherokee: lc.2 2 7.1 n.1 c.1
    Coptic: 53 g9 4.1 2 31.1 8f6 1615.r
    Cypriot: 1erk.2 5.18 4.8
    Cypro_Minoan: 1erk.1
    Cyrillic: jg 1w.2 2 2 2 3 6 ac.1 50y 37v
    Devanagari: jg 1at.1 i.1 3u3.12 2.1 s7 qps.9
    Dogra: 1us.b vcx.9
    Duployan: 53 gg.1 2 p.1 8ig 26p0.3
    Elbasan: 53 ge
    Ethiopic: lq
    Garay: 170 f 4
    Georgian: 53 ya 29e 31b 2qf
    Glagolitic: 53 gc 2 an 3 76 29e 31b 2qx nqk
    Gothic: 53 gd.1 3 15
    Grantha: 1u9.1 i.1 ht.d 3bx 2.1 v.2 4.1 s7 1buz 2hh.1 2
    Greek: 53 g9.1 3 2 2 b 1b 3 1b 570.1 ik
    Gujarati: 1u9.1 i.1 vd7.9
    Gunjala_Gondi: 53 1pp.1
    Gurmukhi: 1u9.1 i.1 vd7.9
    Gurung_Khema: 1ut
    Hangul: 9hd.2 5.9 2.c h 7 5g 14ju.1 7v.4
    Hani: 53 9bt.f 2.2 3 2.9 2.c b.3 3 7 5.3 58 45.f x.11 a 1d.13 1l.1c g.b 1g 2h.o b.4 2p.u mpu.7 h8e.1 7v.4 15vf.h \
    63j.1
    Hanifi_Rohingya: 170 f 4 x 44
    Hanunoo: 4l1.1
    Hebrew: lj.1
    Hiragana: 9hd.2 5.9 2.c h.5 2 5.1 2k.3 4 2j.1 14jt.1 7v.4 b 1a.1
    Javanese: xjj
    Kaithi: 1uu.9 79e o3j.9
    Kannada: 1u9.1 i.1 3u3 2.1 7 o 2 ri4.5
    Katakana: lh u 8v2.2 5.9 2.c h.5 2 5.1 2k.3 4 2j.1 14jt.1 7v.4 b 1a.1
    Kayah_Li: xf2
    Khojki: 25i.9 v29.9
    Khudawadi: 1us.1 vd7.9
    Latin: 53 ed b 2.2 2 a 2 13.e 2.1 2 g.2 8.1 2.1 13 6 5.c 7q.1 y3.1 1ih 2kd fr 5d 2lj nvt.7 fb
    Limbu: 1ut
    Linear_A: 1err.18
    Linear_B: 1erk.2 5.18 4.8
    Lisu: jg h 8xp.1
    Lycian: 6e2
    Lydian: 53 8ze
    Mahajani: 53 1pp.b vcx.9
    Malayalam: 1u9.1 i.1 3ud o ri6.2
    Mandaic: 18g
    Manichaean: 18g
    Masaram_Gondi: 1us.1
    Meroitic_Hieroglyphs: 6e5
    Modi: x80.9
    Mongolian: 4qq.1 2 1m2 34i.1 6.3
    Multani: 21y.9
    Myanmar: xf2
    Nandinagari: 1u9 j.1 ox.9 35m 9 8 rhy.5
    Newa: 1u9.1 3ur 2.1 a 7 2 2
    Nkoo: 170 f 4 1ctb.1
    Ol_Onal: 1us.1
    Old_Hungarian: 6e2 3 2qc g
    Old_Permic: 53 g9 6.2 b a8
    Old_Turkic: 6e2 2qe
    Old_Uyghur: 18g 1fhu
    Oriya: 1u9.1 i.1 3ud o
    Osage: ld 3 7 25
    Phags_Pa: 4qq.1 2 1m2 34j
    Psalter_Pahlavi: 18g
    Runic: 4iz.2
    Samaritan: 94h
    Sharada: 1u9 3uu 2 3.1 3 a 3 rib.5 3
    Shavian: 53
    Sinhala: 1us.1 3v1
    Sogdian: 18g
    Sunuwar: lc.1 2 a 3 t 4
    Syloti_Nagri: 1us.1 3l.9
    Syriac: lf.1 3.1 2 p.2 8.1 2.1 kb f.1 3 x b.a r 4nc 2
    Tagalog: 4l1.1
    Tagbanwa: 4l1.1
    Tai_Le: lc.1 6.1 4 2lw.9
    Takri: 1us.1 vd7.9
    Tamil: 1u9.1 i.1 3ud ro9 ky6 2 1k.1
    Tangut: 9gw.f ds
    Telugu: 1u9.1 i.1 3u8.1 2 2 o
    Thaana: 170 f.1 3 1t.9 1cw9 b
    Thai: jg r 18 1a
    Tibetan: 9hk.3
    Tifinagh: le 2 2.3 q
    Tirhuta: 1u9.1 i.1 3u8 d g ri6.9
    Todhri: ld 3 3 a 2 23
    Toto: jg
    Tulu_Tigalari: 2jq.9 35v 2 ri4.5 58
    Yezidi: 170 f 4 1t.9
    Yiii: 9hd.1 6.9 3.7 68 14rq.4
    """
}
