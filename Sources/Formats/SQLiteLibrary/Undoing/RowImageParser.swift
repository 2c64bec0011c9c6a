/// Reads the entries of a block of a journal; hostile bytes give nil, never a trap.
struct RowImageParser {
  private let bytes: [UInt8]
  private let tables: [JournalTable]
  private var at = 0

  static func images(_ bytes: [UInt8], _ tables: [JournalTable]) -> [RowImage]? {
    var parser = RowImageParser(bytes: bytes, tables: tables)
    var images: [RowImage] = []
    while parser.at < bytes.count {
      guard let image = parser.image() else { return nil }
      images.append(image)
    }
    return images
  }

  private mutating func image() -> RowImage? {
    guard let operation = byte().flatMap(RowImage.Operation.init(rawValue:)), let number = varint(),
      number < UInt64(tables.count), let row = signed()
    else { return nil }
    let table = tables[Int(number)]
    var key: [JournalValue] = []
    var old: [(Int, JournalValue)] = []
    if operation == .delete {
      for column in table.columns.indices {
        guard let value = value() else { return nil }
        old.append((column, value))
      }
      key = table.keys.map { old[$0].1 }
      return RowImage(operation: operation, table: table, row: row, key: key, old: old, hash: 0)
    }
    for _ in table.keys {
      guard let value = value() else { return nil }
      key.append(value)
    }
    if operation == .update {
      while true {
        guard let column = varint(), column <= UInt64(table.columns.count) else { return nil }
        if column == 0 { break }
        guard let value = value() else { return nil }
        old.append((Int(column) - 1, value))
      }
    }
    guard let hash = fixed() else { return nil }
    return RowImage(operation: operation, table: table, row: row, key: key, old: old, hash: hash)
  }

  private mutating func value() -> JournalValue? {
    switch byte() {
    case 0: return .null
    case 1: return signed().map { .integer($0) }
    case 2: return fixed().map { .real(Double(bitPattern: $0)) }
    case 3: return run().map { .text($0) }
    case 4: return run().map { .blob($0) }
    default: return nil
    }
  }

  private mutating func byte() -> UInt8? {
    guard at < bytes.count else { return nil }
    at += 1
    return bytes[at - 1]
  }

  private mutating func varint() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
      guard let byte = byte() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  private mutating func signed() -> Int64? {
    varint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  private mutating func fixed() -> UInt64? {
    guard bytes.count - at >= 8 else { return nil }
    defer { at += 8 }
    return bytes[at..<at + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  private mutating func run() -> [UInt8]? {
    guard let length = varint(), length <= UInt64(bytes.count - at) else { return nil }
    defer { at += Int(length) }
    return Array(bytes[at..<at + Int(length)])
  }
}
