import Foundation
import TestSupport
import Testing

@testable import SQLiteRecovery

/// How thorough these tests are. For `make test-recover`, which sets FLEETKIT_RECOVER, they are thorough.
enum Damage {
  static let isThorough = ProcessInfo.processInfo.environment["FLEETKIT_RECOVER"] == "1"
}

/// A database with known rows and pages, and scans of damaged copies of it.
final class DamageTrial {
  let data: Data
  let pageSize: Int
  let pageCount: Int
  /// The kind of each page.
  var kinds: [Int: String] = [:]
  private let description: Description
  private let minimum: [String: Int]
  let path: String
  /// Each row in its written form, with the numbers of all its pages and of its leaf page.
  private(set) var rows: [(line: String, pages: Set<Int>, leaf: Int)] = []
  private(set) var lines: Set<String> = []
  private var ids: Set<[UInt8]> = []

  struct Result {
    var expected = 0
    var found = 0
    var fromTouched = 0
    var wrong: [String] = []
  }

  init(_ path: String, minimum: [String: Int]? = nil) throws {
    self.path = path + ".damaged"
    data = try Data(contentsOf: URL(filePath: path))
    description = try TestDatabase.describe(path)
    self.minimum = minimum ?? description.defaults.mapValues { max(1, $0.count - 4) }
    let image = try DatabaseImage(path: path)
    pageSize = image.pageSize
    pageCount = data.count / pageSize
    let findings = try Findings(image, description.shapes(minimum: self.minimum))
    #expect(findings.damage.isEmpty)
    #expect(findings.lines([.tree], columns: description.defaults).sorted() == description.rows.sorted())
    var bytes: [UInt8] = []
    for page in 1...pageCount {
      image.read(UInt32(page), into: &bytes)
      switch BTreePage(bytes, page: UInt32(page), usable: pageSize)?.kind {
      case .tableLeaf: kinds[page] = "leaf"
      case .tableInterior: kinds[page] = "interior"
      case .indexLeaf, .indexInterior: kinds[page] = "index"
      case nil: break
      }
    }
    for row in findings.rows where row.origin == .tree {
      var pages: Set<Int> = [Int(row.page)]
      image.read(row.page, into: &bytes)
      let content = try #require(BTreePage(bytes, page: row.page, usable: pageSize))
      let cell = try #require(content.cells.first { $0.rowid == row.rowid })
      var next = cell.overflow
      while next != 0 {
        pages.insert(Int(next))
        kinds[Int(next)] = "overflow"
        next = image.next(next)
      }
      let line = Findings.line(row, columns: description.defaults)
      rows.append((line, pages, Int(row.page)))
      lines.insert(line)
      if case .text(let id)? = row.values.first { ids.insert(id) }
    }
  }

  /// Returns a copy that is damaged in one to three places: pages are overwritten in part or as a whole, zeroed,
  /// swapped, or cut off.
  func damage(_ random: inout SeededRandom) -> (data: Data, touched: Set<Int>, what: [String]) {
    var data = data
    var touched: Set<Int> = []
    var what: [String] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      // Page 1 is chosen often, because everything depends on it.
      let page = Int.random(in: 0..<8, using: &random) == 0 ? 1 : Int.random(in: 1...pageCount, using: &random)
      let range = range(page)
      guard range.upperBound <= data.count else { continue }
      touched.insert(page)
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        what.append("random \(page)")
        for index in range { data[index] = UInt8.random(in: 0...255, using: &random) }
      case 1:
        let start = Int.random(in: range, using: &random)
        let end = Int.random(in: start...range.upperBound, using: &random)
        what.append("part \(page)")
        for index in start..<end { data[index] = UInt8.random(in: 0...255, using: &random) }
      case 2:
        what.append("zero \(page)")
        for index in range { data[index] = 0 }
      case 3:
        let other = Int.random(in: 1...pageCount, using: &random)
        let second = self.range(other)
        guard second.upperBound <= data.count else { continue }
        what.append("swap \(page) \(other)")
        touched.insert(other)
        let bytes = Data(data[range])
        data[range] = data[second]
        data[second] = bytes
      default:
        let size = Int.random(in: data.count / 4...data.count, using: &random)
        what.append("cut \(size)")
        data = data.prefix(size)
        for page in size / pageSize + 1...pageCount { touched.insert(page) }
      }
    }
    return (data, touched, what)
  }

  func range(_ page: Int) -> Range<Int> { (page - 1) * pageSize..<page * pageSize }

  /// Scans a damaged copy as a user would, using the roots in the part of the schema that can still be read.
  /// - Parameter moved: pages whose whole content is now in another page.
  func run(_ damaged: Data, touched: Set<Int>, moved: [Int: Int]) throws -> Result {
    try damaged.write(to: URL(filePath: path))
    var result = Result()
    let image = try DatabaseImage(path: path)
    let schema = image.schemaRows().rows
    var roots: [String: UInt32] = [:]
    for row in schema where row.origin != .freelist { roots[row.name] = row.rootPage }
    let findings = try Findings(image, description.shapes(minimum: minimum) { roots[$0] })
    var found: Set<String> = []
    for row in findings.rows {
      let line = Findings.line(row, columns: description.defaults)
      if lines.contains(line) {
        found.insert(line)
      } else if !touched.contains(Int(row.page)), row.origin != .freelist {
        // An overflow page of the row may have been overwritten.
        let original = rows.first { $0.leaf == Int(row.page) && $0.line.hasPrefix("\(row.table)|\(row.rowid)|") }
        if original == nil || original?.pages.isDisjoint(with: touched) == true {
          result.wrong.append("page \(row.page) \(row.origin): \(line.prefix(100))")
        }
      } else if case .text(let id)? = row.values.first, !ids.contains(id), id.count == 36, row.origin != .damagedPage {
        result.wrong.append("unknown ID, page \(row.page) \(row.origin): \(line.prefix(100))")
      }
    }
    for row in rows {
      let changed = row.pages.filter { touched.contains($0) && moved[$0] == nil }
      if changed.isEmpty {
        result.expected += 1
        if found.contains(row.line) { result.found += 1 }
      } else if found.contains(row.line) {
        result.fromTouched += 1
      }
    }
    return result
  }
}
