extension Timestamp {
  /// From here Apple's encoders count seconds: 2001-01-01 00:00:00 UTC.
  package static let of2001 = Timestamp(milliseconds: 978_307_200_000)

  /// Seconds since 2001, as Apple's encoders write a time.
  package var secondsSince2001: Double { Double(milliseconds - Self.of2001.milliseconds) / 1000 }
}
