import Foundation
import HTTPTypes
import Hummingbird
import JSONText
import NIOCore
import Publishing

/// A request's body, read as unambiguous JSON.
struct JSONBody {
  let document: JSONDocument
  /// The received bytes, for the fingerprint of an idempotent request.
  let bytes: [UInt8]

  var root: JSONValue { document.root }

  /// Collects and parses a body.
  /// - Parameter limit: the maximum size, in bytes; a larger body is refused with 413.
  /// - Parameter depth: the maximum nesting depth; a deeper body is refused with 400.
  /// - Throws: `Problem` 413, 415, or 400 with the place of the error.
  init(of request: Request, limit: Int, depth: Int) async throws {
    try Self.checkMediaType(request.headers)
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw Problem.tooLarge(limit)
    }
    let buffer: NIOCore.ByteBuffer
    do {
      buffer = try await request.body.collect(upTo: limit)
    } catch is NIOTooManyBytesError {
      throw Problem.tooLarge(limit)
    }
    try self.init(Array(buffer.readableBytesView), depth: depth)
  }

  /// Parses a body.
  init(_ bytes: [UInt8], depth: Int) throws {
    if let offset = Self.tooDeep(bytes, depth) {
      throw Problem.invalidJSON(Self.finding(JSONError(.tooDeep(limit: depth), at: offset), in: bytes))
    }
    do {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw Problem.invalidJSON(Self.finding(error, in: bytes))
    }
    self.bytes = bytes
    if let name = document.root.duplicateName { throw Problem.invalidJSON(duplicate(name)) }
  }

  /// Accepts JSON or no media type, without a content encoding.
  private static func checkMediaType(_ headers: HTTPFields) throws {
    if let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw Problem(
        .unsupportedMediaType, "unsupported_media_type",
        "Encoded bodies are not supported: send the body without `Content-Encoding`.")
    }
    guard let value = headers[.contentType], !value.utf8.elementsEqual("application/json".utf8) else { return }
    let type = (value.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first ?? "")
      .trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json")) else {
      throw Problem(
        .unsupportedMediaType, "unsupported_media_type",
        "The body must be JSON: send it with `Content-Type: application/json`.")
    }
  }

  /// Returns the offset of the bracket that opens the first level below the limit; nil if there is no such bracket.
  ///
  /// Only brackets outside strings are checked, so that hostile nesting is detected before anything is built.
  private static func tooDeep(_ bytes: [UInt8], _ limit: Int) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var depth = 0
      var isInString = false
      var at = 0
      while at < bytes.count {
        switch bytes[at] {
        case UInt8(ascii: "\""): isInString.toggle()
        case UInt8(ascii: "\\") where isInString: at += 1
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          if !isInString {
            depth += 1
            if depth > limit { return at }
          }
        case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isInString { depth -= 1 }
        default: break
        }
        at += 1
      }
      return nil
    }
  }

  private static func finding(_ error: JSONError, in bytes: [UInt8]) -> IntakeFinding {
    let place = error.position(in: bytes.span)
    let isDeep = if case .tooDeep = error.reason { true } else { false }
    return IntakeFinding(
      code: isDeep ? "REG0003" : "REG0001", pointer: JSONPointer(),
      message: "\(error.message) (line \(place.line), column \(place.column))",
      why: isDeep ? "no document of the app nests this deeply" : "a request is read as strict JSON (RFC 8259) in UTF-8",
      fix: isDeep ? "send a document with less nesting" : "send the body as a JSON serialiser writes it")
  }

  private func duplicate(_ name: JSONValue) -> IntakeFinding {
    let place = name.position
    return IntakeFinding(
      code: "REG0002", pointer: pointer(toName: name),
      message: "an object has this member twice (line \(place.line), column \(place.column))",
      why: "readers do not agree on which of the two counts", fix: "remove one of them")
  }

  /// Returns the pointer to a member's name, through the values around it.
  private func pointer(toName name: JSONValue) -> JSONPointer {
    var pointer = JSONPointer()
    var value = root
    descent: while true {
      if value.kind == .array {
        for (position, element) in value.elements.enumerated() where element.span.contains(name.span.lowerBound) {
          pointer.steps.append(.element(position))
          value = element
          continue descent
        }
      } else {
        for (member, inner) in value.members where inner.span.contains(name.span.lowerBound) {
          pointer.steps.append(.member(member))
          value = inner
          continue descent
        }
      }
      pointer.steps.append(.member(name.string ?? ""))
      return pointer
    }
  }
}

extension Problem {
  /// Returns the problem for a body that is longer than `limit` bytes.
  static func tooLarge(_ limit: Int) -> Problem {
    Problem(
      .contentTooLarge, "body_too_large",
      "The body is longer than \(limit) bytes: send less at once, or split the item into several.")
  }
}
