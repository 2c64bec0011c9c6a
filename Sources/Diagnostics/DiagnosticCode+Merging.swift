extension DiagnosticCode {
  /// Both sides of a merge changed the same thing, and differently.
  public static let mergeConflict = DiagnosticCode(
    "MRG0101", "merge-conflict", .error, "Both sides changed the same thing since the last import, and differently.",
    why: "nobody can say which is right: the library's record stays whole, the source's is in the rejects file",
    fix: "look at the page of conflicts beside the rejects; change one of the sides and import again, or let one win "
      + "with --ours (the library) or --theirs (the source)")

  static let merging = [mergeConflict]
}
