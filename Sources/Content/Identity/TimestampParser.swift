/// Reads the many spellings of a date; see `Timestamp.parse`.
struct TimestampParser {
  private let text: UnsafeBufferPointer<UInt8>
  private var at = 0
  private var end: Int
  private var quirks: Timestamp.Quirks = []

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    end = text.count
  }

  mutating func parse() -> (Timestamp, Timestamp.Quirks)? {
    trimBlanks()
    guard end - at >= 8, let year = digits(exactly: 4), take(UInt8(ascii: "-")),
      let month = shortNumber(), take(UInt8(ascii: "-")), let day = shortNumber(), month >= 1, day >= 1
    else { return nil }
    var clock = Clock()
    if at < end {
      guard readClock(&clock) else { return nil }
    } else {
      quirks.insert(.otherForm)
    }
    if month > 12 || day > CivilDate.daysInMonth(year, month) || clock.rollsOver {
      quirks.insert(.rollsOver)
    }
    let days = CivilDate.toDays(year + (month - 1) / 12, (month - 1) % 12 + 1, 1) + day - 1
    let seconds = days * 86_400 + clock.hour * 3600 + clock.minute * 60 + clock.second - clock.offset * 60
    return (Timestamp(milliseconds: seconds * 1000 + clock.millisecond), quirks)
  }

  private struct Clock {
    var hour: Int64 = 0
    var minute: Int64 = 0
    var second: Int64 = 0
    var millisecond: Int64 = 0
    /// Minutes east of UTC.
    var offset: Int64 = 0
    var rollsOver: Bool { hour > 23 || minute > 59 || second > 59 }
  }

  private mutating func readClock(_ clock: inout Clock) -> Bool {
    if take(UInt8(ascii: "T")) || take(UInt8(ascii: "t")) {
      quirks.insert(.otherForm)
    } else if !take(UInt8(ascii: " ")) {
      return false
    }
    guard let hour = shortNumber(), take(UInt8(ascii: ":")), let minute = shortNumber() else { return false }
    clock.hour = hour
    clock.minute = minute
    if take(UInt8(ascii: ":")) {
      guard let second = shortNumber() else { return false }
      clock.second = second
      if take(UInt8(ascii: ".")) || take(UInt8(ascii: ",")) {
        guard readFraction(&clock) else { return false }
      } else {
        quirks.insert(.otherForm)
      }
    } else {
      quirks.insert(.otherForm)
    }
    return readZone(&clock) && at == end
  }

  private mutating func readFraction(_ clock: inout Clock) -> Bool {
    let first = at
    while at < end, text[at] &- 0x30 < 10 {
      let place = at - first
      if place < 3 { clock.millisecond = clock.millisecond * 10 + Int64(text[at] - 0x30) }
      if place >= 3, text[at] != 0x30 { quirks.insert(.cut) }
      at += 1
    }
    let count = at - first
    guard count > 0 else { return false }
    if count != 3 { quirks.insert(.otherForm) }
    if count == 1 { clock.millisecond *= 100 }
    if count == 2 { clock.millisecond *= 10 }
    return true
  }

  private mutating func readZone(_ clock: inout Clock) -> Bool {
    guard at < end else { return true }
    quirks.insert(.otherForm)
    if take(UInt8(ascii: " ")) { quirks.insert(.undecodable) }
    if take(UInt8(ascii: "Z")) || take(UInt8(ascii: "z")) { return true }
    let sign: Int64
    if take(UInt8(ascii: "+")) {
      sign = 1
    } else if take(UInt8(ascii: "-")) {
      sign = -1
    } else {
      return false
    }
    guard let hours = digits(exactly: 2) else { return false }
    var minutes: Int64 = 0
    if take(UInt8(ascii: ":")) {
      guard let written = digits(exactly: 2) else { return false }
      minutes = written
    } else {
      quirks.insert(.undecodable)  // the app's reader wants the colon
      if let written = digits(exactly: 2) { minutes = written }
    }
    clock.offset = sign * (hours * 60 + minutes)
    return true
  }

  // MARK: Pieces

  private mutating func trimBlanks() {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    while at < end, isBlank(text[at]) {
      at += 1
      quirks.formUnion([.otherForm, .undecodable])
    }
    while end > at, isBlank(text[end - 1]) {
      end -= 1
      quirks.formUnion([.otherForm, .undecodable])
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard at < end, text[at] == byte else { return false }
    at += 1
    return true
  }

  private mutating func digits(exactly count: Int) -> Int64? {
    guard at + count <= end else { return nil }
    var value: Int64 = 0
    for index in at..<at + count {
      guard text[index] &- 0x30 < 10 else { return nil }
      value = value * 10 + Int64(text[index] - 0x30)
    }
    at += count
    return value
  }

  /// Two digits, or one, which the app does not take.
  private mutating func shortNumber() -> Int64? {
    if let value = digits(exactly: 2) { return value }
    guard let value = digits(exactly: 1) else { return nil }
    quirks.formUnion([.otherForm, .undecodable])
    return value
  }
}
