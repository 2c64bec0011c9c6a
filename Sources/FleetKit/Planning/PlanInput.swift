import FleetKitCore
import Foundation
import Interchange

/// A JSON text on disk, taken apart value by value: memory is bounded by the largest of them.
///
/// Finds where values end by their brackets and quotes, and parses them one at a time. Knows the line that it is at.
final class PlanInput {
  let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var at = 0
  private var isAtEnd = false
  /// Line of the byte that is next, from 1.
  private(set) var line = 1
  /// Longest value that is read; longer ones are refused, for the memory's sake.
  private static let limit = 512 << 20
  private static let chunk = 1 << 20

  /// - Throws: `RunFailure` with status 2 when it cannot be opened.
  init(_ path: String) throws {
    self.path = path
    // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read the plan '\(path)': \(SystemError.last)") }
    var status = stat()
    // All that is stored is there: what throws from here on is closed by `deinit`.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(.failed, "read the plan '\(path)': it is no file")
    }
  }

  deinit { close(descriptor) }

  /// Says where the text cannot be a plan, and why.
  func failure(_ why: String, line: Int? = nil) -> RunFailure {
    RunFailure(
      .failed, "read the plan '\(path)': line \(line ?? self.line): \(why)",
      advice: "Plan again: 'fleetkit import … --plan \(path)'.")
  }

  /// The next byte that is no white space; nil at the end.
  func peek() throws -> UInt8? {
    while true {
      while at < buffer.count {
        let byte = buffer[at]
        switch byte {
        case 0x0A: line += 1
        case 0x20, 0x09, 0x0D: break
        default: return byte
        }
        at += 1
      }
      guard try fill() else { return nil }
    }
  }

  /// Takes one byte.
  /// - Throws: `RunFailure` when another one stands there.
  func take(_ byte: UInt8) throws {
    let next = try peek()
    guard next == byte else {
      let what = String(UnicodeScalar(byte))
      throw failure(next == nil ? "the text ends where '\(what)' is due" : "'\(what)' is due here")
    }
    at += 1
  }

  /// Takes a byte if it is the next one.
  func takes(_ byte: UInt8) throws -> Bool {
    guard try peek() == byte else { return false }
    at += 1
    return true
  }

  /// Takes a whole value.
  /// - Throws: `RunFailure` with the line where it is no JSON.
  func value() throws -> JSONDocument {
    guard try peek() != nil else { throw failure("the text ends where a value is due") }
    let end = try endOfValue()
    let start = line
    defer { at = end }
    do throws(JSONError) {
      let document = try buffer.withUnsafeBufferPointer { bytes throws(JSONError) in
        try JSONDocument(parsing: UnsafeBufferPointer(rebasing: bytes[at..<end]))
      }
      line += buffer[at..<end].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
      return document
    } catch {
      let before = buffer[at..<min(end, at + error.offset)].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
      throw failure(error.message, line: start + before)
    }
  }

  /// Where the value that begins here ends, in the buffer.
  private func endOfValue() throws -> Int {
    var end = at
    var depth = 0
    var inString = false
    while true {
      while end < buffer.count {
        let byte = buffer[end]
        end += 1
        if inString {
          if byte == UInt8(ascii: "\\") {
            end += 1
          } else if byte == UInt8(ascii: "\"") {
            inString = false
            if depth == 0 { return min(end, buffer.count) }
          }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): inString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          // One bracket too many ends a plain value before it.
          if depth == 0 { return end - 1 }
          depth -= 1
          if depth == 0 { return end }
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09: if depth == 0 { return end - 1 }
        default: break
        }
      }
      guard end - at < Self.limit else { throw failure("a value is larger than \(Self.limit >> 20) MiB") }
      let behind = end - at
      let overshoot = end - buffer.count
      guard try fill() else {
        guard depth == 0, !inString, overshoot == 0 else { throw failure("a value is not closed") }
        return buffer.count
      }
      end = at + behind
    }
  }

  /// Reads on; what was taken is forgotten. False at the end.
  private func fill() throws -> Bool {
    if isAtEnd { return false }
    try Interruption.check()
    if at > 0 {
      buffer.removeFirst(at)
      at = 0
    }
    let had = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
    let got = buffer.withUnsafeMutableBytes {
      FileRead.some(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[had...]))
    }
    buffer.removeLast(Self.chunk - max(0, got))
    if got < 0 { throw RunFailure(.failed, "read the plan '\(path)': \(SystemError.last)") }
    isAtEnd = got == 0
    return got > 0
  }
}
