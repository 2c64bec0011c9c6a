import Diagnostics
import Foundation
import Interchange

/// The end of a vault: names and counts first, then every file to its place.
extension VaultWriter {
  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    nameItems()
    media.leaveOut(staging, context) { names.blocks($0) }
    for index in items.indices { try compare(items[index], index, tally: &tally) }
    try records.finish(rejects: rejects)
    let bundle = staging.path + "/library.jsonl"
    try stageWritten()
    bundleChanged = !hadBundle || !FileBytes.same(bundle, staging.target + "/" + VaultPath.records)
    reportLeftAlone()
    // One call for all of them: as many calls as there are files would take minutes.
    if staging.place != .nowhere { sync() }
  }

  /// Makes the files that say what the notes are now.
  private func stageWritten() throws {
    if staging.place == .nowhere { return }
    if let text = decks.changed {
      try FileBytes.write(text, to: staging.path + "/decks")
      areDecksStaged = true
    }
    for item in items {
      written.add(item.path, item.entry)
      supplements.add(item.path, item.supplement)
    }
    if let text = supplements.changed {
      try FileBytes.write(text, to: staging.path + "/notes")
      areSupplementsStaged = true
    }
    guard let text = written.changed(where: { names.isThere($0) || left.contains($0) }) else { return }
    try FileBytes.write(text, to: staging.path + "/written")
    isWrittenStaged = true
    if VaultPath.entry(at: staging.target + "/" + WrittenNotes.ignorePath) == .nothing {
      try FileBytes.write(WrittenNotes.ignored, to: staging.path + "/ignored")
      isIgnoredStaged = true
    }
  }

  private func nameItems() {
    let open = items.indices.filter { items[$0].path.isEmpty }
    let paths = names.name(open.map { (items[$0].folder, items[$0].slug, items[$0].id) })
    for (index, path) in zip(open, paths) { items[index].path = path }
  }

  /// Counts what becomes of a note, and looks whether its way is free.
  private func compare(_ item: Item, _ index: Int, tally: inout Tally) throws {
    guard item.isStaged else {
      tally[.item].unchanged += 1
      return
    }
    let path = staging.target + "/" + item.path
    guard staging.place == .existingFolder else {
      tally[.item].created += 1
      return
    }
    for folder in VaultPath.folders(of: item.path)
    where ![.nothing, .folder].contains(VaultPath.entry(at: staging.target + "/" + folder)) {
      throw RunFailure(
        .refused, "write '\(staging.target)/\(folder)/': a link or a file of that name is there; nothing was written",
        advice: "Move it away, or name another folder.")
    }
    switch VaultPath.entry(at: path) {
    case .nothing where item.wasKeptWhole: tally[.item].updated += 1
    case .nothing: tally[.item].created += 1
    default:
      FileBytes.takeMode(of: path, for: staging.path + "/" + Self.stagedName(index))
      tally[.item].updated += 1
    }
  }

  private func reportLeftAlone() {
    let place = Place(file: staging.target)
    let notes = names.leftAlone
    if notes > 0 {
      let what =
        notes == 1 ? "1 note is not in the library; it was" : "\(notes) notes are not in the library; they were"
      context.findings.report(Diagnostic(.leftAlone, "\(what) left as \(notes == 1 ? "it is" : "they are")", at: place))
    }
    guard records.leftAlone > 0 else { return }
    let count = records.leftAlone
    context.findings.report(
      Diagnostic(
        .leftAlone,
        "\(count) record\(count == 1 ? "" : "s") of \(VaultPath.records) \(count == 1 ? "is" : "are") not in the library; "
          + "\(count == 1 ? "it stays" : "they stay")", at: place))
  }

  private func sync() {
    let staged =
      items.indices.filter { items[$0].isStaged }.map(Self.stagedName) + cards.map(\.name) + media.staged.map(\.name)
    guard staged.count <= 100 else {
      #if canImport(Glibc)
        Glibc.sync()
      #else
        Darwin.sync()
      #endif
      return
    }
    for name in staged { VaultStaging.syncFile(staging.path + "/" + name) }
  }

  func finish() throws -> Int {
    let size = items.reduce(cardBytes) { $0 + $1.size } + FileBytes.size(staging.path + "/library.jsonl")
    if staging.place == .nowhere {
      defer { staging.discard() }
      return try VaultOutput.write(
        items.indices.map { (items[$0].path, staging.path + "/" + Self.stagedName($0)) },
        records: records.count > 0 ? staging.path + "/library.jsonl" : nil)
    }
    // The bundle says that the folder is a vault, so it comes first in a new one. Later an item may move from the
    // bundle to a note or back: whatever is written first, no moment is without it.
    if !hadBundle { try moveBundle() }
    // Before the notes of cards, which would be another deck without it.
    if areDecksStaged { try staging.move("decks", to: FolderDecks.path) }
    if areSupplementsStaged { try staging.move("notes", to: NoteSupplements.path) }
    var folders: Set<String> = [""]
    for index in items.indices where items[index].isStaged {
      try staging.move(Self.stagedName(index), to: items[index].path)
      folders.formUnion(VaultPath.folders(of: items[index].path))
    }
    for card in cards {
      try staging.move(card.name, to: card.path)
      folders.formUnion(VaultPath.folders(of: card.path))
    }
    for file in media.staged {
      try staging.move(file.name, to: file.path)
      folders.formUnion(VaultPath.folders(of: file.path))
    }
    if hadBundle, bundleChanged { try moveBundle() }
    if isIgnoredStaged { try staging.move("ignored", to: WrittenNotes.ignorePath) }
    // Last: a run that ends before takes notes for edited that are not, and keeps them.
    if isWrittenStaged { try staging.move("written", to: WrittenNotes.path) }
    for folder in folders { VaultStaging.sync(staging.tree + "/" + folder) }
    try staging.publish()
    return size
  }

  private func moveBundle() throws {
    if hadBundle {
      FileBytes.takeMode(
        of: staging.target + "/" + VaultPath.records, for: staging.path + "/library.jsonl")
    }
    try staging.move("library.jsonl", to: VaultPath.records)
    VaultStaging.sync(staging.tree + "/" + VaultPath.hiddenFolder)
  }
}
