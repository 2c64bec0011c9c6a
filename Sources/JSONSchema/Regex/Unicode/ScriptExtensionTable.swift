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
