/// The code points with the property Extended_Pictographic in Unicode 17. The standard library does not provide this
/// property.
///
/// The table is generated from the Unicode Character Database. See `UnicodeRanges` for its format.
enum PictographTable {
  static let text: StaticString = """
    Extended_Pictographic: 4p 5 68e d 61 n 2j.5 g.1 a8.1 d 4n q.a 5.2 5k 6g.1 b a 1n.3 2.4 a 3 3.1 3 5 3 2.1 3 4 4.1 \
    9.2 6 2 6.b c.1 3 2.1 2 j 3.1 j.5 2 2.1 4.1 6 3.1 5.1 c.1 6.1 3 6.1 2 2.1 l.1 6.5 2.3 3 5 3 3.5 2 3 2 2 7 4 7 \
    b.1 g 3 5 2 5.2 2 c.1 1d.2 a f f ad.1 cw.2 k.1 1g 5 yj d gq 2 2fzf 14.3 2t.b g.1 g f.1 12.9 35.1 d.1 f 3.9 k.1j \
    s.e b l 3.8 2.3 a.m 7.57 3.33 3.1 2.2 3.2a 3.2 2.3 6.71 2.1q c.5 2.n 8.1 3.7 d 3.3 3 5.1 e.1 3 9.1 a 6.2 d.2 9.2 \
    3 2 5 7 4 7.2d 1d.1x 6.7 3.g 4 2.5 3.c 63.11 d.3 1l.7 b.5 15.7 v.1 d.3 3.d a.12 d.1a 2.9 2.54 2h.7 f.41 75.sd
    """
}
