extension DiagnosticCode {
  /// Both sides of a merge changed the same thing, and differently.
  public static let mergeConflict = DiagnosticCode(
    "MRG0101", "merge-conflict", .error, "Both sides changed the same thing since the last import, and differently.",
    why: "nobody can say which is right: the library's record stays whole, the source's is in the rejects file",
    fix: "look at the page of conflicts beside the rejects; change one of the sides and import again, or let one win "
      + "with --ours (the library) or --theirs (the source)")

  /// One side of a record was taken whole, because nobody remembers what both come from.
  public static let takenWhole = DiagnosticCode(
    "MRG0102", "taken-whole", .note,
    "Records were taken or left whole, because one side is newer and no base is known.",
    why:
      "what the older side alone had is not in the library now; what was written over is in the file of replaced records",
    fix: "import with --interactive, --ours or --theirs to merge such records, or always from the same place")

  static let merging = [mergeConflict, takenWhole]
}
