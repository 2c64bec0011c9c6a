import Foundation

/// Measures reading 20 000 practice guides of about 6 KB into a new library, compared with libcmark, which merely
/// parses the same files.
struct VaultBench {
  let folder: String
  let command: String
  let rounds: Int
  private let count = 20_000

  func run() throws {
    let vault = folder + "/vault"
    try VaultGenerator(guides: count).write(to: vault)
    let files = try Self.notes(of: vault)
    let library = folder + "/vault.sqlite"
    var converts: [ChildRun] = []
    var imports: [ChildRun] = []
    var parses: [Double] = []
    for _ in 0..<rounds {
      try? FileManager.default.removeItem(atPath: library)
      converts.append(try ChildRun.run(command, ["convert", vault, "--to", library, "-q"]))
      for name in [library, library + ".fleetkit"] { try? FileManager.default.removeItem(atPath: name) }
      imports.append(try ChildRun.run(command, ["import", vault, "--into", library, "--create", "-q"]))
      for name in [library, library + ".fleetkit"] { try? FileManager.default.removeItem(atPath: name) }
      parses.append(try Self.parse(files))
    }
    let size = files.reduce(0) { $0 + Bench.size($1) }
    Bench.say("vault of \(count) guides of \(size / count) bytes, each a file; median of \(rounds)")
    let parse = Bench.median(parses)
    Bench.say(
      String(format: "  libcmark parses the files                      %.2f s (%.0f MB/s)", parse, rate(size, parse)))
    for (name, runs) in [("convert into a new library", converts), ("import into a new library ", imports)] {
      let ratios = zip(parses, runs).map { $0 / $1.seconds }
      let seconds = Bench.median(runs.map(\.seconds))
      Bench.say(
        String(
          format:
            "  fleetkit %@            %.2f s (%.0f MB/s)   ratio %.2f (%.2f–%.2f), processor %.2f s, peak %.1f MB",
          name, seconds, rate(size, seconds), Bench.median(ratios), ratios.min() ?? 0, ratios.max() ?? 0,
          Bench.median(runs.map(\.processor)), Double(runs.map(\.peakAnonymous).max() ?? 0) / 1e6))
    }
  }

  private func rate(_ size: Int, _ seconds: Double) -> Double { Double(size) / 1e6 / seconds }

  private static func notes(of folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted()
      .map { folder + "/" + $0 }
  }

  /// Runs the bare loop: open, read, parse, free; the parsed document is not used.
  private static func parse(_ files: [String]) throws -> Double {
    let cmark = try CommonMarkReference()
    let clock = ContinuousClock()
    let start = clock.now
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var blocks = 0
    for file in files {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw CocoaError(.fileReadNoSuchFile) }
      let got = read(descriptor, &buffer, buffer.count)
      close(descriptor)
      buffer.withUnsafeBytes { bytes in
        guard let text = bytes.bindMemory(to: CChar.self).baseAddress,
          let document = cmark.parse(text, max(0, got), 0)
        else { return }
        if cmark.firstChild(document) != nil { blocks += 1 }
        cmark.free(document)
      }
    }
    guard blocks == files.count else { throw CocoaError(.fileReadCorruptFile) }
    let took = clock.now - start
    return Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
  }
}

/// Debian's libcmark, the reference implementation of CommonMark. It is loaded here so that no other code needs it.
private struct CommonMarkReference {
  let parse: @convention(c) (UnsafePointer<CChar>, Int, Int32) -> OpaquePointer?
  let firstChild: @convention(c) (OpaquePointer) -> OpaquePointer?
  let free: @convention(c) (OpaquePointer) -> Void

  init() throws {
    guard let library = dlopen("libcmark.so.0.30.2", RTLD_NOW), let parse = dlsym(library, "cmark_parse_document"),
      let firstChild = dlsym(library, "cmark_node_first_child"), let free = dlsym(library, "cmark_node_free")
    else {
      Bench.say("libcmark is missing: apt-get install libcmark0.30.2")
      throw CocoaError(.fileReadNoSuchFile)
    }
    self.parse = unsafeBitCast(parse, to: (@convention(c) (UnsafePointer<CChar>, Int, Int32) -> OpaquePointer?).self)
    self.firstChild = unsafeBitCast(firstChild, to: (@convention(c) (OpaquePointer) -> OpaquePointer?).self)
    self.free = unsafeBitCast(free, to: (@convention(c) (OpaquePointer) -> Void).self)
  }
}
