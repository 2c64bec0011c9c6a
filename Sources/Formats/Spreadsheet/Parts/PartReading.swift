import ArchiveIO
import Diagnostics
import Interchange
import XMLStream

extension ZipFile {
  /// Reads a part of a workbook as XML.
  /// - Returns: false if the part does not exist.
  /// - Throws: `RunFailure`: 5 when the archive or the XML is damaged, 2 when the part contains something that is
  ///   refused.
  func parse(_ part: String, _ handler: any PartHandler, packed progress: ((Int) -> Void)? = nil) throws -> Bool {
    let parser = try XMLStreamParser(handler)
    return try parse(part, parser, packed: progress, { try parser.feed($0) }, { try parser.finish() })
  }

  /// Reads a sheet. Plain rows bypass the parser.
  /// - Throws: the errors of `parse`. If the damage is after plain rows, `PlainFeed.isPlaceLost` shows that the place
  ///   is wrong.
  func parse(
    _ part: String, _ sheet: SheetPart, ahead: ZipReadAhead, feed make: (XMLStreamParser) -> PlainFeed<SheetPart>
  ) throws -> Bool {
    let parser = try XMLStreamParser(sheet)
    let feed = make(parser)
    return try parse(part, parser, ahead, packed: { sheet.packed = $0 }, feed.feed, feed.finish)
  }

  /// Reads shared texts. Plain texts bypass the parser.
  /// - Parameter strings: creates the table that receives the texts. It is called a second time if the texts must be
  ///   read again to find the place of an error.
  /// - Returns: the table; nil if the part does not exist.
  func parse(_ part: String, strings make: () -> SharedStrings) throws -> SharedStrings? {
    var isPlaceLost = false
    do {
      return try parse(part, make(), isPlaceLost: &isPlaceLost)
    } catch  where isPlaceLost {
      let strings = make()
      return try parse(part, SharedStringsPart(strings)) ? strings : nil
    }
  }

  private func parse(_ part: String, _ strings: SharedStrings, isPlaceLost: inout Bool) throws -> SharedStrings? {
    let handler = SharedStringsPart(strings)
    let parser = try XMLStreamParser(handler)
    let feed = PlainFeed(parser, handler)
    defer { isPlaceLost = feed.isPlaceLost }
    let isThere = try parse(part, parser, ZipReadAhead(self, part), packed: nil, feed.feed, feed.finish)
    return isThere ? strings : nil
  }

  private func parse(
    _ part: String, _ parser: XMLStreamParser, _ ahead: ZipReadAhead? = nil, packed progress: ((Int) -> Void)?,
    _ feed: (UnsafeRawBufferPointer) throws -> Void, _ finish: () throws -> Void
  ) throws -> Bool {
    do {
      let isThere = try ahead?.read(packed: progress, feed) ?? read(part, packed: progress, feed)
      guard isThere else { return false }
      try finish()
      return true
    } catch let problem as XMLProblem {
      throw failure(problem, part: part)
    } catch let problem as PartProblem {
      throw failure(parser.problem(problem.message), part: part)
    }
  }

  /// Converts a problem in a part to a run failure.
  private func failure(_ problem: XMLProblem, part: String) -> RunFailure {
    let place = Place(file: path, member: part, line: problem.line, column: problem.column)
    return RunFailure(
      problem.isRefusal ? .failed : .mismatch,
      Diagnostic(.workbookDamaged, problem.message, at: place),
      message:
        "read '\(path)': \(problem.isRefusal ? "refused" : "damaged") at \(TerminalEscaping.escape(part)):\(problem)"
    )
  }
}

/// A handler for the XML of a workbook part.
protocol PartHandler: XMLHandler {}

/// A problem that a handler finds at the parser's position.
struct PartProblem: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
