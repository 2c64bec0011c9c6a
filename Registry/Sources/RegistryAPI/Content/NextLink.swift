/// Writes the `Link` to the next page (RFC 8288): the same query, continued with the same kind of paging.
enum NextLink {
  /// - Parameter target: the request's target.
  static func text(
    _ target: String, _ parameters: QueryParameters, _ paging: ContentHandlers.Paging, cursor: String
  ) -> String {
    let path = String(decoding: target.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    var query = ""
    for (name, value) in parameters.all where !["cursor", "offset", "page"].contains(name) {
      guard let value else { continue }
      query += "\(encode(name))=\(encode(value))&"
    }
    if paging.page != nil && !paging.isByCursor {
      query += "page=\((paging.page ?? 1) + 1)"
    } else if !paging.isByCursor && paging.offset + paging.limit <= ContentHandlers.furthestOffset
      && !path.hasSuffix("/mine")
    {
      query += "offset=\(paging.offset + paging.limit)"
    } else {
      query += "cursor=\(cursor)"
    }
    return "<\(path)?\(query)>; rel=\"next\""
  }

  /// Percent-encodes all characters except the unreserved ones of RFC 3986, so that no value can contain the closing
  /// angle bracket.
  private static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 15))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
