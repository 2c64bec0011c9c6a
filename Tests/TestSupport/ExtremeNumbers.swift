import Foundation

/// Numbers at and beyond the limits of integer types.
public enum ExtremeNumbers {
  /// The numbers as JSON spells them.
  public static let json =
    [
      "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
      "18446744073709551615", "18446744073709551616", "1e400", "-1e400", "10e9223372036854775807",
      "1e-9223372036854775808", "10e-9223372036854775808", "1e18446744073709551616", "-0", "-0.0", "1e308", "0.1e-400",
      "2147483648", "-2147483649", "9007199254740993", "1e19", "9223372036854775807.0",
    ] + [String(repeating: "9", count: 400), "-0." + String(repeating: "9", count: 400)]

  /// Strings that some parsers accept as numbers.
  public static let words = ["NaN", "Infinity", "-Infinity", "nan", "inf", "1_000", "0x7fffffffffffffff", "٣"]

  /// Column values as SQL expressions.
  public static let columns = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775806", "1e308", "9e999", "'9223372036854775808'",
    "'1e400'", "'NaN'", "x'FFFFFFFFFFFFFFFFFF'", "-1", "1e18", "4611686018427387904",
  ]

  /// The number of random combinations to try: `FLEETKIT_EXTREME_ROUNDS`, or 1.
  public static let rounds = ProcessInfo.processInfo.environment["FLEETKIT_EXTREME_ROUNDS"].flatMap { Int($0) } ?? 1
}
