import Interchange

extension JSONBundleFormat: MemberFormat {
  /// Opens bundles, or single records as documents, that lie inside something larger.
  public func reader(of members: any MemberSource, context: RunContext) throws -> any ContentReader {
    BundleMembersReader(members, spelling: spelling, context: context)
  }
}
