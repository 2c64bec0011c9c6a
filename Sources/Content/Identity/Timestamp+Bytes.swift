import JSONText

extension ByteBuffer {
  /// Appends `YYYY-MM-DDTHH:MM:SS.SSSZ` in quotes.
  package mutating func appendJSONDate(_ date: Timestamp) {
    append(UInt8(ascii: "\""))
    append(room: 23) { (out: UnsafeMutableRawBufferPointer) throws(Never) -> Int in
      date.write(to: out.bindMemory(to: UInt8.self), separator: UInt8(ascii: "T"))
      return 23
    }
    append("Z\"")
  }

  /// Appends the app's column form, `YYYY-MM-DD HH:MM:SS.SSS`.
  package mutating func appendColumnDate(_ date: Timestamp) {
    append(room: 23) { (out: UnsafeMutableRawBufferPointer) throws(Never) -> Int in
      date.write(to: out.bindMemory(to: UInt8.self), separator: UInt8(ascii: " "))
      return 23
    }
  }
}

extension Timestamp {
  /// Whether `text` is exactly `YYYY-MM-DD?HH:MM:SS.SSS` with a real month, day and hour.
  ///
  /// True for nearly every date that there is, so that the many never reach the parser.
  package static func isPlain(_ text: UnsafePointer<UInt8>, separator: UInt8) -> Bool {
    @inline(__always) func two(_ at: Int) -> UInt8 {
      let tens = text[at] &- 0x30
      let ones = text[at + 1] &- 0x30
      return tens < 10 && ones < 10 ? tens &* 10 &+ ones : 255
    }
    guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == separator,
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "."),
      two(0) < 100, two(2) < 100, two(20) < 100, text[22] &- 0x30 < 10
    else { return false }
    let month = two(5)
    let day = two(8)
    // The 29th to 31st take the long way, which knows the calendar.
    return month &- 1 < 12 && day &- 1 < 28 && two(11) < 24 && two(14) < 60 && two(17) < 60
      || month &- 1 < 12 && day &- 1 < 31 && two(11) < 24 && two(14) < 60 && two(17) < 60
        && Int64(day) <= CivilDate.daysInMonth(Int64(two(0)) * 100 + Int64(two(2)), Int64(month))
  }
}
