import Foundation
import TestSupport
import Testing

@testable import Markdown

/// The decks of samples/vault are read as the vault's README describes.
@Suite struct SampleDeckTests {
  /// Returns the rows of the README's table: file, kind, title, extent.
  private static func rows() throws -> [[String]] {
    let readme = try String(
      contentsOf: URL(fileURLWithPath: Paths.root).appendingPathComponent("samples/vault/README.md"), encoding: .utf8)
    let lines = readme.split(separator: "\n").drop { !$0.hasPrefix("| file | taken for | title | extent |") }
    return lines.dropFirst(2).prefix { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// Returns a note's text and the position at which its body begins.
  private static func note(_ file: URL) throws -> (text: [UInt8], body: Int) {
    let text = Array(try Data(contentsOf: file))
    guard text.starts(with: "---\n".utf8), let end = Data(text).range(of: Data("\n---\n".utf8)) else {
      return (text, 0)
    }
    return (text, end.upperBound)
  }

  @Test func decksHoldWhatTheirReadmeSays() throws {
    let vault = URL(fileURLWithPath: Paths.root).appendingPathComponent("samples/vault")
    let decks = try Self.rows().filter { $0[1] == "deck" }
    #expect(decks.count == 5)
    for row in decks where !row[0].hasSuffix("/") {
      let (text, body) = try Self.note(vault.appendingPathComponent(row[0]))
      text.withUnsafeBufferPointer { bytes in
        let found = DeckReader.recognise(bytes.span, body: body..<bytes.count)
        let deck = DeckReader.read(bytes.span, body: body..<bytes.count)
        #expect("\(deck.cards.count) cards" == row[3], "\(row[0])")
        #expect(deck.cards.allSatisfy { !$0.front.bytes.isEmpty && !$0.back.bytes.isEmpty }, "\(row[0])")
        // A mark identifies the deck of headings as a deck.
        #expect(found.map { $0.certainty >= 70 || $0.style == .headings } == true, "\(row[0])")
      }
    }
  }

  @Test func theFolderOfCardsIsFound() throws {
    let vault = URL(fileURLWithPath: Paths.root).appendingPathComponent("samples/vault")
    var notes: [CardFolders.Note] = []
    for case let path as String in try #require(FileManager.default.enumerator(atPath: vault.path))
    where path.hasSuffix(".md") {
      let (text, body) = try Self.note(vault.appendingPathComponent(path))
      notes.append(
        CardFolders.Note(path: path, declaresType: false, text: text.span, body: body..<text.count))
    }
    let found = CardFolders.find(notes)
    let row = try #require(try Self.rows().first { $0[0].hasSuffix("/") && $0[1] == "deck" })
    #expect(found.map { $0.path + "/" } == [row[0]])
    #expect(found.first.map { "\($0.files.count) cards" } == row[3])
  }

  @Test func guidesAreNoDecks() throws {
    let vault = URL(fileURLWithPath: Paths.root).appendingPathComponent("samples/vault")
    for row in try Self.rows() where row[1] != "deck" {
      // File names may be decomposed, depending on the file system.
      let folder = vault.appendingPathComponent(row[0]).deletingLastPathComponent()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let name = try #require(names.first { $0 == (row[0] as NSString).lastPathComponent }, "\(row[0])")
      let (text, body) = try Self.note(folder.appendingPathComponent(name))
      text.withUnsafeBufferPointer { bytes in
        let certainty = DeckReader.recognise(bytes.span, body: body..<bytes.count)?.certainty ?? 0
        #expect(certainty < 30, "\(row[0])")
      }
    }
  }
}
