import Foundation
import SQLiteRecovery
import Testing

/// Files that are designed to take a long time to read; `make test-hostile` measures the time.
@Suite(.serialized) struct HostileTests {
  @Test(
    arguments: ["samechild", "chains", "freeloop", "overlap", "search", "deep"],
    Damage.isThorough ? [512, 4096, 65536] : [4096])
  func comesToAnEnd(kind: String, pageSize: Int) throws {
    let columns = Array(repeating: ColumnShape(.any), count: 8)
    let tables = (2..<10).map { (root: UInt32) in
      RecoveredTableShape(name: "t\(root)", root: root, columns: columns, check: { _ in false })
    }
    let path = TestDatabase.folder + "/hostile-\(kind)-\(pageSize).sqlite"
    try TestDatabase.run("hostile.py", [kind, "\(pageSize)", "1", path, "8"])
    let image = try DatabaseImage(path: path)
    let findings = try Findings(image, (tables, []))
    // A value that occurs twice is reported once.
    #expect(findings.damage.count <= 1 << 20 && findings.rows.isEmpty)
  }
}
