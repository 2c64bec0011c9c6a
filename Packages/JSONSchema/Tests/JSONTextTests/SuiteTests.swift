import Foundation
import JSONText
import TestTools
import Testing

/// The official parsing cases: `y_` must be accepted, `n_` must be refused with a place, `i_` must not crash.
@Suite struct SuiteTests {
  @Test(.enabled(if: Paths.suites != nil, "the folder of official suites is not there (FLEETKIT_SUITES)"))
  func parsingCases() throws {
    let folder = (Paths.suites ?? "") + "/json-parsing"
    var counts: [Character: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".json") {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
      counts[name.first ?? "?", default: 0] += 1
      do {
        _ = try JSONDocument(parsing: bytes)
        #expect(!name.hasPrefix("n_"), "\(name) must be refused")
      } catch {
        #expect(!name.hasPrefix("y_"), "\(name) must be taken: \(error.message)")
        let position = error.position(in: bytes.span)
        #expect(position.line >= 1 && position.column >= 1 && error.offset <= bytes.count, "\(name)")
      }
    }
    #expect((counts["y"] ?? 0) > 20 && (counts["n"] ?? 0) > 50 && (counts["i"] ?? 0) > 10)
  }
}
