import Foundation

/// Base64 with padding, for headers.
enum Base64 {
  static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
