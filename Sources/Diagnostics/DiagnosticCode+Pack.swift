extension DiagnosticCode {
  /// `data/pack.json` cannot be used.
  public static let packInfo = DiagnosticCode(
    "PCK0101", "pack-info", .error, "A pack does not say what it must about itself.",
    why: "without data/pack.json nobody knows whose content this is, nor where its items lie",
    fix: "build the pack anew, or correct data/pack.json and the manifests")

  static let pack = [packInfo]
}
