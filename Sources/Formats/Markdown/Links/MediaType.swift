/// Media types of files that people put beside their notes.
enum MediaType {
  private static let types = [
    "avif": "image/avif", "bmp": "image/bmp", "csv": "text/csv", "gif": "image/gif", "gpx": "application/gpx+xml",
    "heic": "image/heic", "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "json": "application/json", "kml": "application/vnd.google-earth.kml+xml", "m4a": "audio/mp4",
    "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg", "pdf": "application/pdf",
    "png": "image/png", "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff", "txt": "text/plain",
    "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "zip": "application/zip",
  ]

  /// The media type of a file by the ending of its name, in small letters.
  static func of(_ ending: String?) -> String { ending.flatMap { types[$0] } ?? "application/octet-stream" }
}
