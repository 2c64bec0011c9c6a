import Foundation

/// Measures tables: importing a million rows of CSV into a new library, compared with `sqlite-utils insert --csv`,
/// which only copies rows and makes no checklists; and reading a workbook into a library, compared with openpyxl, which
/// only reads the workbook.
struct TableBench {
  let folder: String
  let command: String
  let rounds: Int
  private let rows = 1_000_000
  private let sheetRows = 100_000

  /// A workbook for the benchmark.
  private struct Book {
    /// The workbook's name in `tables.py`.
    let kind: String
    let words: String
    let path: String
  }

  private var judges: String { ProcessInfo.processInfo.environment["FLEETKIT_JUDGES"] ?? ".build/judges" }

  func run() throws {
    let python = judges + "/bin/python"
    let utils = judges + "/bin/sqlite-utils"
    guard FileManager.default.isExecutableFile(atPath: utils) else {
      return Bench.say("tables: not measured, the peers are not installed (make judges)")
    }
    let script = "Benchmarks/peers/tables.py"
    let table = folder + "/steps-\(rows).csv"
    let books = [("xlsx", "a text in each cell"), ("xlsx-shared", "shared texts, as Excel")].map { kind, words in
      Book(kind: kind, words: words, path: folder + "/steps-\(sheetRows)-\(kind).xlsx")
    }
    if Bench.size(table) == 0 { _ = try ChildRun.run(python, [script, "csv", "\(rows)", table]) }
    for book in books where Bench.size(book.path) == 0 {
      _ = try ChildRun.run(python, [script, book.kind, "\(sheetRows)", book.path])
    }
    let library = folder + "/tables.sqlite"
    func fresh(_ arguments: [String], _ program: String? = nil) throws -> ChildRun {
      for ending in ["", "-wal", "-journal", ".fleetkit"] {
        try? FileManager.default.removeItem(atPath: library + ending)
      }
      return try ChildRun.run(program ?? command, arguments)
    }
    var imports: [ChildRun] = []
    var converts: [ChildRun] = []
    var inserts: [ChildRun] = []
    var sheets: [[ChildRun]] = books.map { _ in [] }
    var reads: [[ChildRun]] = books.map { _ in [] }
    for round in 0..<rounds {
      imports.append(try fresh(["import", table, "--into", library, "--create", "-q"]))
      converts.append(try fresh(["convert", table, "--to", library, "-q"]))
      // The insert takes minutes, so once is enough.
      if round == 0 { inserts.append(try fresh(["insert", library, "steps", table, "--csv", "--silent"], utils)) }
      for (index, book) in books.enumerated() {
        sheets[index].append(try fresh(["convert", book.path, "--to", library, "-q"]))
        reads[index].append(try fresh([script, "read", book.path], python))
      }
    }
    Bench.say("\(rows) rows of CSV, \(Bench.size(table) / 1_000_000) MB, \(rows / 10) checklists; median of \(rounds)")
    report("sqlite-utils insert --csv, once     ", inserts, rows, against: nil)
    report("fleetkit import, into a new library ", imports, rows, against: inserts)
    report("fleetkit convert, to a library      ", converts, rows, against: inserts)
    try outlines(python)
    try pieces(python)
    for (index, book) in books.enumerated() {
      Bench.say("\(sheetRows) rows of a workbook, \(book.words), \(Bench.size(book.path) / 1_000_000) MB")
      report("openpyxl, read only                 ", reads[index], sheetRows, against: nil)
      report("fleetkit convert, to a library      ", sheets[index], sheetRows, against: reads[index])
    }
  }

  /// Converts an outline of checklists to JSON lines, compared with ElementTree, which does the same.
  private func outlines(_ python: String) throws {
    let count = 10_000
    let (bundle, outline) = (folder + "/outline.jsonl", folder + "/outline.opml")
    if Bench.size(outline) == 0 {
      _ = try ChildRun.run(python, ["Benchmarks/peers/import_peer.py", "make", "\(count)", bundle])
      _ = try ChildRun.run(command, ["convert", bundle, "--to", outline, "-q"])
    }
    let target = folder + "/outline-read.jsonl"
    var (converts, reads): ([ChildRun], [ChildRun]) = ([], [])
    for _ in 0..<rounds {
      try? FileManager.default.removeItem(atPath: target)
      converts.append(try ChildRun.run(command, ["convert", outline, "--to", target, "-q"]))
      reads.append(try ChildRun.run(python, ["Benchmarks/peers/opml_peer.py", outline, target]))
    }
    Bench.say("\(count) checklists of an outline, \(Bench.size(outline) / 1_000_000) MB, to JSON lines")
    report("ElementTree                         ", reads, count, against: nil)
    report("fleetkit convert                    ", converts, count, against: reads)
  }

  /// Imports DynamoDB items into a library and converts them to JSON lines. Compares this with the same records as JSON
  /// lines, once in the same order and once in the order in which bundles are written.
  private func pieces(_ python: String) throws {
    let count = 100_000
    let peer = "Benchmarks/peers/haumana_data.py"
    let items = folder + "/pieces-\(count).dynamodb.jsonl"
    let (lines, ordered, target) = (folder + "/pieces.jsonl", folder + "/pieces-ordered.jsonl", folder + "/again.jsonl")
    if Bench.size(items) == 0 { _ = try ChildRun.run(python, [peer, "\(count)", items]) }
    _ = try ChildRun.run(command, ["convert", items, "--to", lines, "--overwrite", "-q"])
    _ = try ChildRun.run(python, [peer, "order", items, lines, ordered])
    let library = folder + "/pieces.sqlite"
    let files = FileManager.default
    var (imports, converts): ([String: [ChildRun]], [String: [ChildRun]]) = ([:], [:])
    for _ in 0..<rounds {
      for source in [items, ordered, lines] {
        for path in [library, library + ".fleetkit"] { try? files.removeItem(atPath: path) }
        imports[source, default: []].append(
          try ChildRun.run(command, ["import", source, "--into", library, "--create", "-q"]))
        converts[source, default: []].append(
          try ChildRun.run(command, ["convert", source, "--to", target, "--overwrite", "-q"]))
      }
    }
    Bench.say("\(count) pieces of DynamoDB, \(Bench.size(items) / 1_000_000) MB")
    for (verb, runs) in [("import ", imports), ("convert", converts)] {
      report("fleetkit \(verb) of the bundle      ", runs[lines] ?? [], count, against: nil)
      report("fleetkit \(verb) of it, reordered   ", runs[ordered] ?? [], count, against: runs[lines])
      report("fleetkit \(verb) of the items       ", runs[items] ?? [], count, against: runs[ordered])
    }
  }

  private func report(_ what: String, _ runs: [ChildRun], _ rows: Int, against peers: [ChildRun]?) {
    let seconds = Bench.median(runs.map(\.seconds))
    var line = String(
      format: "  %@ %.2f s (%.0f rows/s), processor %.2f s, peak %.1f MB", what, seconds, Double(rows) / seconds,
      Bench.median(runs.map(\.processor)), Double(runs.map(\.peakAnonymous).max() ?? 0) / 1e6)
    if let peers {
      line += String(
        format: "   ratio %.1f, of processor time %.1f", Bench.median(peers.map(\.seconds)) / seconds,
        Bench.median(peers.map(\.processor)) / Bench.median(runs.map(\.processor)))
    }
    Bench.say(line)
  }
}
