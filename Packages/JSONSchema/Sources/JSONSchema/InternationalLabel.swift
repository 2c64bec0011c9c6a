import Foundation

/// Checks a host name label with characters beyond ASCII.
/// - Source: RFC 5891, section 4.2; RFC 5892, appendix A.
enum InternationalLabel {
  /// Returns whether a label may be registered. The bidi rule, which applies to all labels together, is not checked.
  static func isValid(_ label: [Unicode.Scalar]) -> Bool {
    // The ASCII form is never shorter than the label.
    guard label.count <= 63, let first = label.first, let last = label.last, first != "-", last != "-" else {
      return false
    }
    if label.count >= 4, label[2] == "-", label[3] == "-" { return false }
    // A label without other characters would be written in ASCII.
    guard label.contains(where: { !$0.isASCII }) else { return false }
    switch first.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return false
    default: break
    }
    for (index, scalar) in label.enumerated() {
      switch LabelScalar(scalar) {
      case .valid: break
      case .disallowed: return false
      case .contextual: if !fitsContext(index, in: label) { return false }
      }
    }
    return isComposed(label)
  }

  /// Returns the lower-case, composed form in which programs look up a label that a person wrote (RFC 5895, section 2).
  ///
  /// A label that exceeds the length limit is left unchanged, because composing it could take time quadratic in its
  /// length.
  static func mapped(_ label: Substring) -> Substring {
    label.utf8.count > 63 * 4 ? label : Substring(label.lowercased().precomposedStringWithCanonicalMapping)
  }

  /// Returns whether a label is in normalization form C.
  private static func isComposed(_ label: [Unicode.Scalar]) -> Bool {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: label)
    return String(text).precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(label)
  }

  private static func fitsContext(_ index: Int, in label: [Unicode.Scalar]) -> Bool {
    let before = index > 0 ? label[index - 1] : nil
    let after = index + 1 < label.count ? label[index + 1] : nil
    switch label[index].value {
    case 0xB7: return before == "l" && after == "l"
    case 0x375: return after.map { isOf("Greek", $0) } ?? false
    case 0x5F3, 0x5F4: return before.map { isOf("Hebrew", $0) } ?? false
    case 0x30FB: return label.contains { isOf("Hiragana", $0) || isOf("Katakana", $0) || isOf("Han", $0) }
    case 0x660...0x669: return !label.contains { 0x6F0...0x6F9 ~= $0.value }
    case 0x6F0...0x6F9: return !label.contains { 0x660...0x669 ~= $0.value }
    case 0x200C: return isVirama(before) || JoiningType.joins(label, around: index)
    case 0x200D: return isVirama(before)
    default: return false
    }
  }

  private static func isVirama(_ scalar: Unicode.Scalar?) -> Bool {
    scalar?.properties.canonicalCombiningClass == .virama
  }

  private static func isOf(_ script: Substring, _ scalar: Unicode.Scalar) -> Bool {
    Scripts.ranges(of: script).map { UnicodeRanges.contains($0, scalar.value) } ?? false
  }
}

/// The joining types of letters in cursive scripts.
private enum JoiningType {
  private static let table = UnicodeRanges.entries(of: JoiningTable.text)

  private static func type(of scalar: Unicode.Scalar) -> Substring {
    table.first { UnicodeRanges.contains($0.ranges, scalar.value) }?.names.first ?? "U"
  }

  /// Returns whether letters would join across the character at `index`, ignoring marks.
  fileprivate static func joins(_ label: [Unicode.Scalar], around index: Int) -> Bool {
    let before = label[..<index].reversed().map(type).first { $0 != "T" }
    let after = label[(index + 1)...].map(type).first { $0 != "T" }
    return (before == "L" || before == "D") && (after == "R" || after == "D")
  }
}

/// The rule that determines whether a code point is allowed in a label.
/// - Source: RFC 5892, sections 2 and 3, with the properties of Swift's version of Unicode.
enum LabelScalar {
  /// The code point is allowed anywhere.
  case valid
  /// The code point is allowed where a rule in RFC 5892, appendix A, permits it.
  case contextual
  /// The code point is not allowed.
  case disallowed

  /// Determines the rule for a code point.
  init(_ scalar: Unicode.Scalar) {
    let properties = scalar.properties
    if let exception = Self.exception(scalar.value) {
      self = exception
    } else if properties.generalCategory == .unassigned {
      self = .disallowed
    } else if scalar.isASCII {
      let byte = UInt8(scalar.value)
      self = byte.isDigit || byte == UInt8(ascii: "-") || (byte.isLetter && byte >= 0x61) ? .valid : .disallowed
    } else if properties.isJoinControl {
      self = .contextual
    } else if properties.changesWhenNFKCCaseFolded || properties.isDefaultIgnorableCodePoint
      || properties.isWhitespace || properties.isNoncharacterCodePoint || Self.isInIgnoredBlock(scalar.value)
      || Self.isOldHangul(scalar.value)
    {
      self = .disallowed
    } else {
      switch properties.generalCategory {
      case .lowercaseLetter, .uppercaseLetter, .otherLetter, .decimalNumber, .modifierLetter, .nonspacingMark,
        .spacingMark:
        self = .valid
      default: self = .disallowed
      }
    }
  }

  private static func exception(_ scalar: UInt32) -> LabelScalar? {
    switch scalar {
    case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: .valid
    case 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x660...0x669, 0x6F0...0x6F9: .contextual
    case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: .disallowed
    default: nil
    }
  }

  /// Returns whether a code point is a combining mark for symbols or a musical symbol.
  private static func isInIgnoredBlock(_ scalar: UInt32) -> Bool {
    0x20D0...0x20FF ~= scalar || 0x1D100...0x1D24F ~= scalar
  }

  /// Returns whether a code point is a jamo that is composed into syllables.
  private static func isOldHangul(_ scalar: UInt32) -> Bool {
    0x1100...0x11FF ~= scalar || 0xA960...0xA97C ~= scalar || 0xD7B0...0xD7C6 ~= scalar || 0xD7CB...0xD7FB ~= scalar
  }
}

/// The rule for labels that are written from right to left.
/// - Source: RFC 5893, section 2.
enum BidiRule {
  private static let table = UnicodeRanges.entries(of: BidiTable.text)

  private static func bidiClass(_ scalar: Unicode.Scalar) -> Substring {
    table.first { UnicodeRanges.contains($0.ranges, scalar.value) }?.names.first ?? "L"
  }

  /// Returns whether all labels obey the rule, which applies if at least one label has a letter or number of a
  /// right-to-left script.
  static func holds(_ labels: [[Unicode.Scalar]]) -> Bool {
    let classes = labels.map { $0.map(bidiClass) }
    guard classes.contains(where: { $0.contains { ["R", "AL", "AN"].contains($0) } }) else { return true }
    return classes.allSatisfy(holds)
  }

  private static func holds(_ label: [Substring]) -> Bool {
    guard let first = label.first, let last = label.last(where: { $0 != "NSM" }) else { return false }
    switch first {
    case "R", "AL":
      return label.allSatisfy { ["R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"].contains($0) }
        && ["R", "AL", "EN", "AN"].contains(last) && !(label.contains("EN") && label.contains("AN"))
    case "L":
      return label.allSatisfy { ["L", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"].contains($0) }
        && ["L", "EN"].contains(last)
    default: return false
    }
  }
}

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

/// The classes of the Bidirectional Algorithm that host names need, from Unicode 17. Code points in none of these
/// classes are L.
///
/// The table is generated from the Unicode Character Database. See `UnicodeRanges` for its format.
enum BidiTable {
  static let text: StaticString = """
    R: oo.1 7.3 8 2 l b2 13.1 1f.1 4 1a 2 3 3 2.1j 7j 1p.1 2u.1k a.1 5.2 2.n 5 a 4 6.16 4.3 c.4 z.4 6m 9.1 3.1 n 8 \
    2.2 5.1 a.1 3.1 5.7 2.3 3 6.1 q.1 4 7.3 3.1 n 8 3 3 3.1 2 6.3 3.1 4.2 2.6 5 2.6 i.9 4 a 4 n 8 3 6.1 b 4 4.1 2.e \
    5.1 d.6 8 4 9.1 3.1 n 8 3 6.1 a.1 3.1 4.6 4.3 3 6.1 j.9 3 7.2 4 5.2 3 2 3.2 3.2 4.2 d.3 6.2 4 5.1 2.5 2.d m.4 e \
    4 o h.1 a 4 5.6 3 4 3.1 5.1 b.6 n 4 o b 6.1 a 4 5.6 3.4 4 5.1 b 4.b e 4 1g 4 7.3 h.1 r 4 j.2 p a 2.1 8.2 2.3 7 2 \
    9.5 b.1 4.b 1n.3 u.10 3 2 6 p 2 o.1 6 2 8 b.1 5.v 21 11.3 14 11 g e.10 5j 2.4 2.1 ai 5.1 8 2 5.1 16 5.1 y 5.1 8 \
    2 5.1 g 1m 5.1 1w.1 x.2 r.5 2f.1 7.1 im.2 2i.6 n.8 p.8 l.b e 4 3.b 2n.1 b.5 b.5 r.5 2i.6 18.4 1z.9 w d.3 d.3 2.2 \
    17.1 6.a 19.3 r.5 c.2 1r.1 1u u.1 c.5 b.5 f.1 1b.1 d.j 26 4n.7 1p.2 g.2 1r.4 18.1 c.7 18.4 ev.1 7.1 13.1 7.1 9 2 \
    2 2 w.1 1i g f.1 7 k.1 4 a g 2r.1 s e.2 z.d y.e 3x.3 ij.l c.k 1ed.1 an.4 1a 2.4 2.1 1l.6 3.d p.8 8 8 8 8 8 8 8 8 \
    3j.x r 2i.b 5z.p 29 2f.1 2w.4 18 2n 2f.8 1d mlq.2 1k.8 9p.j 55.7 66.j 1p.2 b.5 1l.7 1z.7 d.5 39.a v.2 27 c.3 y \
    1k.8 f.1 b.1 2w.n t.9 7.1 7.1 7.8 8 8 1p.3 3j.1 b.5 8md.b o.3 1e.1kz 57z.1 2z.11 8.b 6.5 2.9 2.11 jv.5 1g k 5.3 \
    6 3s.1 2 5b.2 7.1 7.1 7.1 4.2 8 8 t r k 3 g.1 f.x 3g.4 4.3 1a.2 2h e.2 2.1a 1b.3l u.2 1e.e t.3 11.8 v.4 18.4 v \
    12.3 f.15 4f.1 b.5 11.3 11.3 15.7 1h.a d g 8 3 c g 8 3.2 1h.b 8o.8 n.9 9.n 7 17 a.9v 2.68 4 3.4 5.13 4.3 2.4k \
    3.29 8.cf 15.7 b.5 b.u 7.6o w.17 3.k 7.7 a.w 7.1b 17.13 5.3d 27.3 11.8 1x.9 2.1 q.6 b.5 1i j.7 14.8 2p l.a j \
    1c.1p 8 2 5 g c.5 1o.4 b.5 5 9.1 3.1 n 8 3 6 b.1 3.1 4.1 2.5 2.4 8.1 8.2 6.a b 2.1 2 13 b 2.1 2 5 b 3.7 3.s 2l \
    6.t 21.7 b.4l 1j.1 13.x 1y.a b.5 e.i 1n.5 b.5 l.r s.1 g.3 o.54 1p.2r 2c.b 9.1 2.1 9 3 v 3.1 d.8 b.1x 9.1 1b.1 \
    c.q 21.7 2c.c 22.6 b.2d 9.2f z.d b.5 a 1a f.9 u.2 x.1 n f.20 8 3 19.2 2 3 a.7 b.5 7 3 12 3 7.6 b.5 19.3 b.6t q.6 \
    i 16.2 u.2c 2.e 1f.c po.2t 34 6.a 5h.217 2s.c uv.9 330.4 g8.5a0 1n.1c5 fu.6 w b.3 2a b.5 v.1 7.9 1z.9 b 8 m.4 \
    k.bz 1n.5h 2k.4 q.1 q.17 24.3 1m.6 i.1r 6.a 8.8 5p3.14 x.2o 38.6po 5 8 3 84.e 2.s 4.1 2.d 5.7 b1.1s3 30.4 e.2 \
    a.6 b.1 9.317 72.2 c5.5 o.e i.e 1b.1 o.8 39.1n 6v.9 14.1 5f.k 1z.3d l.b l.b 2g.8 q.3q 2e 20 3.1 2.1 3.1 5 d 2 8 \
    1u 5.1 9 8 t 5 6 2.2 8 9h.1 85.1 jj.e 6 g.un w.5 7.5w 8 i.1 8 3 6.4 1r.w 2.33 1a.2 f.1 b.3 3.8v w.g 1n.4 2.cv \
    17.5x 18.3 2.5b w n.7 3.67 8 5 3 g.5s 8.30 8.md 1x.23 1q.5d 5 s 3 2.1 2 b 5 2 2.5 2.3 2 2 2 4 3 2.1 2 2 2 2 2 3 \
    2.1 5 8 5 5 2 b i.4 4 6 i.1f 3.7h 19.3 2t.b g.1 g g 12.9 4v.1j u.c 19.3 a.6 3.d 7.49 re.2 i.2 e.2 63.5 d.3 2.e \
    d.3 1l.7 b.5 15.7 v.1 d.3 3.d a.12 9l.7 f.1 e.2 c.2 1m 2.3 h.1 d.3 b.6 44 2w.si wyr.v 3dr.1 4gf.1 5rm.e hb.1wh \
    f3.15r 3ta.4 6jv.1477 3.1ekd 3.1ekd 3.1ekd 3.1ekd 3.1ekd 3.1ekd 3.1ekd 3.1ekd 3.1ekd 3.1ekd 35v.1bel
    AL: 16w 3 2 e.1b z.2 2.2s g.1 8.1 b.j 2.1 2.t u.2g c 4v.a 6.v h.15 1bwn.36 h.a2 j.1r 3.1h 15.c 38.4 2.3q 2ro.z \
    bj.5 2x.l c.8 17o8.1v 25.1o 5f.3 2.q 2.1 2 3 2.9 2.3 2 2 7 5 2 2 2.2 2.1 2 3 2 2 2 2 2.1 2 3.3 2.6 2.3 2.3 2 2.9 \
    2.g 6.2 2.4 2.g
    AN: 16o.5 2j.9 2.1 35 c3.1 29 1ff2.9 7.9 7r.u
    EN: 1c.9 3d.1 6 187.9 513 4.5 7.9 sf.j 175h.9 qw.q 13w5.9 251.1d 4xt.a 25i.9
    ES: 17 2 6dp.1 f.1 av 16vr mx.1 4o 2
    CS: 18 2.1 b 2u 12k 55v l 17v0 2 3 53 2.1 b
    ET: z.2 3h.3 b.1 ym 3e.1 2o p4.1 8 6u 7c g6 1wc 1n9.4 30.x 31 6d qhx.1 h0m a.1 49.2 63.1 4.1 6bb.3 12jj
    ON: x.1 4.4 h.5 r.5 r.3 z 5.3 2.1 2.1 5 2.2 3.4 o w ci.1 8.d 3.d 6.8 2.g 39.1 9 6.1 2 33 b8 3.1 3c.1 7.1 5r b \
    7h.3 sa.5 2 3i.6 jg.3 ur.9 2v ij.1 9g.9 7.a 8m 4.1 49.x 14u 2.2 c.2 e.2 e.2 e.1 i.n e.e 2.p u.2 e.2 36.1 2.3 2.1 \
    b 2.2 6.5 2 2 2 h.1 5.4 6.3 3.f 16.2 5.3l 3.81 1y.p 2.43 n.a m.13 2r.ch 2.9e 75.hf 3.3t 6e.5 f.6 75.2l z.p 2.2g \
    d.5x r.f 2.3 4.o g 6.1 6.2 2k.1 4 2j 5h.11 a 1a.1 1e.f t.2 1f.e d.3 4o.3 2s.1 w 535.1r h3l.1i 93.2 2s b.1 3l.x \
    2v 4g.3 21.3 kz.1 fvc.f a4.h 1t.1 1j.7 1a.2 h.9 n.v 2 3 2.8 2.1 3.2 2 3 46.1 4.4 h.5 r.5 r.a 3h.2 4.6 b.4 78 \
    1r.24 4.c 4 1hb ey.6 fj 9u.8 ai.j 16j.c 1ux.7 5.g fsh i72.5x 11.2 4.c3 7.m g.g l5.1 m.1t 4 57.2e ob q w q w q w \
    q w q 4kt.1 7j.17 5.2r d.e 3.e 2.e 2.10 m.4 w 1n.5 1q 4z.5 4b.rc 4.g 4.c 4.61 7.b 5 g.b 5.1j 9.9 7.13 9.t 3.b \
    5.1 f.8 14.9j 9.d 3.c 4.a 4.1k 2 5.f 3.b 5.9 8.42 2.2j b
    BN: 0.8 6.d 2s.5 2.p e 4m9 1kt.2 2b.5 5.5 17q9.v 7k 6p.8 6.1 119d.3 440.7 96s.1 1ekf.1 1ekf.1 1ekf.1 1ekf.1 \
    1ekf.1 1ekf.1 1ekf.1 1ekf.1 1ekf.1 1ekf.1 1ekf.1 1ekf.75 6p.2rz 1ben.1 1ekf.1 1ekf.1
    NSM: lc.33 7o.6 7c.18 2 2.1 2.1 2 21.a 1d.k h 2u.6 3.5 3.1 2.3 10 v.q 2k.a 1n.8 a p.3 2.8 2.2 2.4 18.2 1o.8 17.n \
    2.v 1k 2 5.7 5 4.6 b.1 u 1n 5.3 9 l.1 r 3.1 1m 5.1 5.1 3.2 4 v.1 4 c.1 1m 5.4 2.1 5 l.1 n.5 2 1n 3 2.3 9 8.1 c.1 \
    v 1q d 1f 4 1k 2.2 6.2 2.3 8.1 c.1 u 1n g.1 l.1 t.1 1m.1 5.3 9 l.1 u 21 8.2 2 2j 3.6 d.7 2r 3.8 c.6 22.1 s 2 2 \
    1k.d 2.4 2.1 6.a 2.z a 2v.3 2.5 2.1 3.1 q.1 5.2 h.3 e 3.1 7 g jk.2 qb.2 u.1 v.1 v.1 1t.1 2.6 9 3.a a 1a.2 2 3a.1 \
    z 3b.2 5.1 a 7.2 64.1 3 1n 2.6 2 2 3.7 7.9 3 1d.19 3.b l.3 1d 2.4 2 6 15.8 d.1 x.3 3.1 2.2 1l 2.1 4 2.2 1n.7 3.1 \
    49.2 2.c 2.6 5 7 4.1 5j.1r k1.w 2db.2 3y 2p.v ff.3 30.1 n9x.3 2.9 x.1 29.1 7l 4 5 q.1 6 48.1 r.h e 13.7 q.a 1b.2 \
    1d 3.3 3.1 14 1w.5 3.1 3.1 d 9 1c 1g 2.2 3.1 6.1 2 17.1 9 6n 3 5 fn5 ki.f h.f r2 6b 46.4 1af.2 2.1 6.3 15.2 5 \
    4m.1 fy.3 1u.4 8u.1 26.5 1z.a 1e.3 3g 1j.e 16 3.1 b.2 1e.3 3.1 8 1q.2 11.4 2.7 1r d.1 1h.8 b.3 3 2o.2 3 2.1 7 3 \
    4e 4.7 m.1 1m.1 4 12.6 4.4 1z.5 e 2 2 f.1 2e.7 3.2 2 o 2d.5 2 5.1 2.1 6n.3 7.1 2.1 s.1 2e.7 3 2.1 2z 2 3.5 2 2u \
    2 3.3 2.4 78.8 2.1 75.1 2 5 41.3 3.1 5 x.5 3.1 15.5 3.3 9 a.5 3.2 1b.c 2.1 5j 2.2 2 5m.6 2.5 2d.l 3.6 2.1 2.1 \
    3f.5 4 2.1 2.6 2 21.1 4 2 9o.1 c.1 1h.4 6 2 o 44m 7.e 8uh.b 4.2 1xd.4 1o.6 t5 1s.3 2a f5l.1 3mq.19 3.m f5.2 i.7 \
    3.6 v.3 45.2 1j0.1i 5.1d 9 f n.4 2.e 11t.6 2.g 3.6 2.1 2.4 2t 4h.6 ag 1q.3 e5.3 73.1 6s 3 8.1 6 d7.6 32.6 \
    gzhy.6n
    """
}
