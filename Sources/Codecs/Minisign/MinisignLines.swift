import Foundation
import Interchange

/// Strictly reads the lines of a small file in minisign's format. Errors name the line.
struct MinisignLines {
  /// The beginning of error messages, such as `read the signature 'x.minisig'`.
  let what: String
  /// The exit status if the file cannot be used.
  let status: ExitStatus
  /// The advice if the file cannot be used.
  let advice: String
  private let lines: [[UInt8]]

  /// The maximum size of a file in bytes. minisign's files are never longer than two comments and a few lines of
  /// base64.
  static let longest = 16 << 10

  init(_ bytes: [UInt8], what: String, status: ExitStatus, advice: String) throws {
    self.what = what
    self.status = status
    self.advice = advice
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    // Like minisign, ignores a carriage return at the end of a line.
    for index in lines.indices where lines[index].last == UInt8(ascii: "\r") { lines[index].removeLast() }
    while lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines
    guard bytes.count <= Self.longest else {
      throw failure(1, "the file has \(bytes.count) bytes, which is too many")
    }
  }

  /// Checks that the file has exactly `count` lines.
  func require(_ count: Int) throws {
    if lines.count < count { throw failure(lines.count + 1, "the file must have \(count) lines, but ends here") }
    if lines.count > count { throw failure(count + 1, "the file must have only \(count) lines") }
  }

  /// Returns the text that follows a prefix in a line.
  func comment(_ line: Int, _ prefix: String, limit: Int) throws -> [UInt8] {
    let bytes = lines[line - 1]
    guard bytes.starts(with: Array(prefix.utf8)) else { throw failure(line, "it must begin with '\(prefix)'") }
    let text = Array(bytes.dropFirst(prefix.utf8.count))
    guard text.count <= limit else { throw failure(line, "the comment is longer than \(limit) bytes") }
    guard !text.contains(0) else { throw failure(line, "the comment contains a NUL byte") }
    return text
  }

  /// Returns the bytes that a line of base64 encodes.
  func base64(_ line: Int, count: Int) throws -> [UInt8] {
    guard let bytes = StrictBase64.decode(lines[line - 1]) else { throw failure(line, "this is not base64") }
    guard bytes.count == count else {
      throw failure(line, "the base64 encodes \(bytes.count) bytes instead of \(count)")
    }
    return bytes
  }

  /// Creates the failure that states why the file cannot be used.
  func failure(_ line: Int, _ why: String) -> RunFailure {
    RunFailure(status, "\(what): line \(line): \(why)", advice: advice)
  }

  /// Returns the bytes of a small file.
  /// - Throws: `RunFailure` with `status` if it does not exist, is not a regular file or is too long.
  static func read(_ path: String, what: String, status: ExitStatus, advice: String) throws -> [UInt8] {
    // Opening a pipe without a writer would wait forever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(status, "\(what): \(SystemError.last)", advice: advice) }
    defer { close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(status, "\(what): not a regular file", advice: advice)
    }
    var bytes = [UInt8](repeating: 0, count: longest + 1)
    var used = 0
    while used < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        FileRead.some(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[used...]))
      }
      guard got >= 0 else { throw RunFailure(status, "\(what): \(SystemError.last)", advice: advice) }
      if got == 0 { break }
      used += got
    }
    return Array(bytes.prefix(used))
  }
}

/// Base64 with padding, in which each value has exactly one encoding: there are no blanks, and unused bits are zero.
///
/// - Source: RFC 4648, sections 4 and 3.5
enum StrictBase64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes bytes.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var word: UInt32 = 0
      for byte in group { word = word << 8 | UInt32(byte) }
      word <<= 8 * UInt32(3 - group.count)
      for place in 0..<4 {
        let digit = digits[Int(word >> UInt32(18 - 6 * place) & 63)]
        text.append(place <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return text
  }

  /// Decodes Base64. Returns nil if `text` is not the exact encoding of any bytes.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var word: UInt32 = 0
    var count = 0
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    for byte in text.dropLast(padding) {
      guard let value = value(of: byte) else { return nil }
      word = word << 6 | value
      count += 1
      if count % 4 == 0 {
        bytes += [
          UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word),
        ]
        word = 0
      }
    }
    switch padding {
    case 1:
      guard word & 3 == 0 else { return nil }
      bytes += [UInt8(truncatingIfNeeded: word >> 10), UInt8(truncatingIfNeeded: word >> 2)]
    case 2:
      guard word & 15 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: word >> 4))
    default: break
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - 65)
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - 71)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit + 4)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
