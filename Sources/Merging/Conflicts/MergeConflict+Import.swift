extension MergeConflict {
  /// The same in the words of an import, which has a library and a source instead of branches.
  var ofImport: MergeConflict {
    for (words, ours) in [
      (", deleted by ours", ", deleted in the library"), (", deleted by theirs", ", deleted in the source"),
    ]
    where label.utf8.suffix(words.utf8.count).elementsEqual(words.utf8) {
      let head = String(decoding: label.utf8.dropLast(words.utf8.count), as: UTF8.self)
      return MergeConflict(pointer: pointer, label: head + ours, base: base, ours: self.ours, theirs: theirs)
    }
    return self
  }
}
