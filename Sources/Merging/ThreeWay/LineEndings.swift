/// How the lines of three versions of a text end, and how those of the merged one do.
struct LineEndings {
  let base: [UInt8]
  let ours: [UInt8]
  let theirs: [UInt8]
  let merged: [UInt8]

  private enum Kind {
    /// All lines end in `\n`, or all in `\r\n`.
    case short, long
    /// There is only one line.
    case none
    /// Some of both: endings are part of their lines.
    case mixed
  }

  private static let short: [UInt8] = [0x0A]
  private static let long: [UInt8] = [0x0D, 0x0A]

  init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    let kinds = (Self.kind(base), Self.kind(ours), Self.kind(theirs))
    guard kinds.0 != .mixed, kinds.1 != .mixed, kinds.2 != .mixed else {
      (self.base, self.ours, self.theirs, merged) = (Self.short, Self.short, Self.short, Self.short)
      return
    }
    func ending(_ kind: Kind) -> [UInt8] { kind == .long ? Self.long : Self.short }
    self.base = ending(kinds.0)
    self.ours = ending(kinds.1)
    self.theirs = ending(kinds.2)
    // Whoever changed how lines end is followed; where both did, ours.
    let mine = kinds.1 == .none ? kinds.0 : kinds.1
    let other = kinds.2 == .none ? kinds.0 : kinds.2
    merged = ending(mine == kinds.0 || mine == .none ? (other == .none ? mine : other) : mine)
  }

  private static func kind(_ text: [UInt8]) -> Kind {
    var found = Kind.none
    for (at, byte) in text.enumerated() where byte == 0x0A {
      let kind: Kind = at > 0 && text[at - 1] == 0x0D ? .long : .short
      if found != .none, found != kind { return .mixed }
      found = kind
    }
    return found
  }
}
