extension Timestamp {
  /// From here Apple's encoders count seconds: 2001-01-01 00:00:00 UTC.
  package static let of2001 = Timestamp(milliseconds: 978_307_200_000)

  /// Reads seconds since 2001: fractions are rounded to milliseconds.
  ///
  /// Builds of the app up to January 2026 wrote times in this form into payloads.
  /// - Returns: nil for what is no time in the years 1 to 9999, which are those that ISO 8601 can write.
  package init?(secondsSince2001 seconds: Double) {
    // Far outside the years, and far inside of what 64 bits hold. Refuses NaN and the infinities, too.
    guard abs(seconds) < 1e12 else { return nil }
    let time = Int64((seconds * 1000).rounded()) + Self.of2001.milliseconds
    guard (-62_135_596_800_000...253_402_300_799_999).contains(time) else { return nil }
    self.init(milliseconds: time)
  }

  /// Seconds since 2001, as Apple's encoders write a time.
  package var secondsSince2001: Double { Double(milliseconds - Self.of2001.milliseconds) / 1000 }
}
