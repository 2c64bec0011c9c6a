/// A trip on a boat: all values of the app's `charters` row.
///
/// - Source: formats/json-bundle.md, "charter"
public struct Charter: Equatable, Sendable {
  /// UUID in upper case; while empty, one is derived from the name when the charter is written.
  public var id: String
  /// The charter's name.
  public var name: String
  /// The boat's name.
  public var boatName: String?
  /// The name of the place where it starts.
  public var location: String?
  /// The first day. A library needs this or `endDate`.
  public var startDate: Timestamp?
  /// The last day.
  public var endDate: Timestamp?
  /// UUID of the checklist for taking over the boat.
  public var checkInChecklistID: String?
  /// When the record was made.
  public var createdAt: Timestamp?
  /// When the record was last changed.
  public var updatedAt: Timestamp?
  /// The app's free text, such as `pending`, `synced` or `pending_update`.
  public var syncStatus: String
  /// The server's id for the charter.
  public var serverID: String?
  /// One of `Visibility` or a word that the app adds later.
  public var visibility: String
  /// Whether the charter changed since it was last sent.
  public var needsSync: Bool
  /// When the charter was last sent.
  public var lastSyncedAt: Timestamp?
  /// Degrees of latitude; north is positive.
  public var latitude: Double?
  /// Degrees of longitude; east is positive.
  public var longitude: Double?
  /// The map service's id of the place.
  public var locationPlaceID: String?
  /// Id of the captain without an account for whom the charter is recorded.
  public var onBehalfOfVirtualCaptainID: String?
  /// Members that have no property, the record's `extras` object among them.
  public var extras: [ExtraMember]

  /// Makes a charter; everything but id and name may be left out.
  public init(
    id: String, name: String, boatName: String? = nil, location: String? = nil, startDate: Timestamp? = nil,
    endDate: Timestamp? = nil, checkInChecklistID: String? = nil, createdAt: Timestamp? = nil,
    updatedAt: Timestamp? = nil, syncStatus: String = LibraryItem.SyncStatus.pending, serverID: String? = nil,
    visibility: String = Visibility.private, needsSync: Bool = false, lastSyncedAt: Timestamp? = nil,
    latitude: Double? = nil, longitude: Double? = nil, locationPlaceID: String? = nil,
    onBehalfOfVirtualCaptainID: String? = nil, extras: [ExtraMember] = []
  ) {
    self.id = id
    self.name = name
    self.boatName = boatName
    self.location = location
    self.startDate = startDate
    self.endDate = endDate
    self.checkInChecklistID = checkInChecklistID
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.syncStatus = syncStatus
    self.serverID = serverID
    self.visibility = visibility
    self.needsSync = needsSync
    self.lastSyncedAt = lastSyncedAt
    self.latitude = latitude
    self.longitude = longitude
    self.locationPlaceID = locationPlaceID
    self.onBehalfOfVirtualCaptainID = onBehalfOfVirtualCaptainID
    self.extras = extras
  }
}

extension Charter: ModelObject {
  init() { self.init(id: "", name: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.id("id", &id)
    try visitor.member("name", &name)
    try visitor.member("boat_name", &boatName)
    try visitor.member("location", &location)
    try visitor.member("start_date", &startDate)
    try visitor.member("end_date", &endDate)
    try visitor.member("check_in_checklist_id", &checkInChecklistID)
    try visitor.member("created_at", &createdAt)
    try visitor.member("updated_at", &updatedAt)
    try visitor.member("sync_status", &syncStatus)
    try visitor.member("server_id", &serverID)
    try visitor.member("visibility", &visibility)
    try visitor.member("needs_sync", &needsSync)
    try visitor.member("last_synced_at", &lastSyncedAt)
    try visitor.member("latitude", &latitude)
    try visitor.member("longitude", &longitude)
    try visitor.member("location_place_id", &locationPlaceID)
    try visitor.member("on_behalf_of_virtual_captain_id", &onBehalfOfVirtualCaptainID)
    try visitor.extras(&extras)
  }
}
