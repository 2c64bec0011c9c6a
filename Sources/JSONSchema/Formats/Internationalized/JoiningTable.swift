/// The joining types of cursive scripts, from Unicode 17. Code points in none of these types do not join.
///
/// The table is generated from the Unicode Character Database. See `UnicodeRanges` for its format.
enum JoiningTable {
  static let text: StaticString = """
    D: 17k 6 2 2.4 5.c 2.6 2.1 10.1 9.f j.11 2.1 a 2 2.1 15.2 3 j.2 6.3 2.8 2 2 2.1 w.a 4.e 3.3 2 3.2 3.5 23.w 2f.4 \
    3 2.9 2 b 2.3 3 u 3.4 2 h.9 6.1 3.5 2.e 30f p.2g f.x 2 sd2.1d jf3.4 f.3 2.4 2.2 b.3 42 2 4.2 2.1 2 3 t.1 9f.w 2 \
    bk.1 2.1 2x.2 2.g d.2 t.3 3.b 1b 2.1 5 3.1 2.1 2 3 6 16wm.1v
    L: x9u jff a fd jv
    R: 17m.3 2 2 6.3 m 15.2 2.2 h.h 13 3.8 2 2 3.1 2 p.1 x 5.4 5 a 2 2 3 u c.2 g.1 5 2.1 4.1 5j 6.1 2 b 2.2 f 2.1 \
    6.i c s.2 2 3.1 7 1ez0 2 2.1 4.4 b 4 3 b 42 2.2 4 3 2.1 2 o.3 ae bk 35 x w.1 1r.2 3.1 3 5.1 6
    T: 4t gj.33 7o.6 7c.18 2 2.1 2.1 2 21.a 2 1b.k h 2u.6 3.5 3.1 2.3 y 2 v.q 2k.a 1n.8 a p.3 2.8 2.2 2.4 18.2 1o.8 \
    17.n 2.v 1k 2 5.7 5 4.6 b.1 u 1n 5.3 9 l.1 r 3.1 1m 5.1 5.1 3.2 4 v.1 4 c.1 1m 5.4 2.1 5 l.1 n.5 2 1n 3 2.3 9 \
    8.1 c.1 v 1q d 1f 4 1k 2.2 6.2 2.3 8.1 c.1 u 1n 3 7 6.1 l.1 t.1 1m.1 5.3 9 l.1 u 21 8.2 2 2j 3.6 d.7 2r 3.8 c.6 \
    22.1 s 2 2 1k.d 2.4 2.1 6.a 2.z a 2v.3 2.5 2.1 3.1 q.1 5.2 h.3 e 3.1 7 g jk.2 qb.2 u.1 v.1 v.1 1t.1 2.6 9 3.a a \
    1a.2 2 3a.1 z 3b.2 5.1 a 7.2 64.1 3 1n 2.6 2 2 3.7 7.9 3 1d.19 3.b l.3 1d 2.4 2 6 15.8 d.1 x.3 3.1 2.2 1l 2.1 4 \
    2.2 1n.7 3.1 49.2 2.c 2.6 5 7 4.1 5j.1r ek 3.1 r.4 1e.4 6.5 2p.w 2db.2 3y 2p.v ff.3 30.1 n9x.3 2.9 x.1 29.1 7l 4 \
    5 q.1 6 48.1 r.h e 13.7 q.a 1b.2 1d 3.3 3.1 14 1w.5 3.1 3.1 d 9 1c 1g 2.2 3.1 6.1 2 17.1 9 6n 3 5 fn5 ki.f h.f \
    5s 6y.2 ea 6b 46.4 1af.2 2.1 6.3 15.2 5 4m.1 fy.3 1u.4 8u.1 26.5 1z.a 1e.3 3g 1j.e 16 3.1 b.2 1e.3 3.1 8 1q.2 \
    11.4 2.7 1r d.1 1h.8 b.3 3 2o.2 3 2.1 7 3 4e 4.7 m.1 1m.1 4 12.6 4.4 1z.5 e 2 2 f.1 2e.7 3.2 2 o 2d.5 2 5.1 2.1 \
    6n.3 7.1 2.1 s.1 2e.7 3 2.1 2z 2 3.5 2 2u 2 3.3 2.4 78.8 2.1 75.1 2 5 41.3 3.1 5 x.9 15.5 3.3 9 a.5 3.2 1b.c 2.1 \
    5j 2.2 2 5m.6 2.5 2 2b.l 3.6 2.1 2.1 3f.5 4 2.1 2.6 2 21.1 4 2 9o.1 c.1 1h.4 6 2 o 446.g 7.e 8uh.b 4.2 1xd.4 \
    1o.6 t5 1s.3 2a f5l.1 2.3 3ml.19 3.m f5.2 a.f 3.6 v.3 45.2 1j0.1i 5.1d 9 f n.4 2.e 11t.6 2.g 3.6 2.1 2.4 2t 4h.6 \
    ag 1q.3 e5.3 73.1 6s 3 8.1 6 d7.6 32.7 gzau v.2n 3l.6n
    """
}
