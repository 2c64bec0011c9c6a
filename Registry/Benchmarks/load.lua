-- What wrk sends: the same requests to the registry and to its peer.
-- LOAD = item | list | share; TOKEN; ITEMS = published items to read; RUN = a word that makes slugs unique.
local kind = os.getenv("LOAD")
local items = tonumber(os.getenv("ITEMS") or "1000")
local threads = 0

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

local count = 0
local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. (os.getenv("TOKEN") or "") }
local document
do
  local list = {}
  for section = 1, 4 do
    local entries = {}
    for entry = 1, 6 do
      entries[entry] = string.format(
        '{"title":"Check number %d of section %d","itemDescription":"Look, listen, and write down what you found","isRequired":true,"isOptional":false}',
        entry, section)
    end
    list[section] = string.format('{"title":"Section %d","items":[%s]}', section, table.concat(entries, ","))
  end
  document = '{"title":"Before departure","sections":[' .. table.concat(list, ",") .. ']}'
end

function init(args)
  math.randomseed(id * 7919 + 17)
end

function request()
  count = count + 1
  if kind == "item" then
    return wrk.format("GET", string.format("/api/v1/content/bench-%d-0A1B2C3D", math.random(1, items)))
  elseif kind == "list" then
    return wrk.format("GET", "/api/v1/content/public?limit=20&offset=" .. 20 * math.random(0, 20))
  end
  local body = string.format(
    '{"title":"Before departure %d","description":"What to check before the lines come off","content_type":"checklist","content_data":%s,"tags":["safety","departure"],"language":"en","public_id":"%s-%d-%d-0A1B2C3D","can_fork":true}',
    count, document, os.getenv("RUN") or "run", id, count)
  return wrk.format("POST", "/api/v1/content/share", headers, body)
end

function done(summary, latency, requests)
  io.write(string.format(
    "RESULT %.1f %.3f %.3f %.3f %d\n", summary.requests / (summary.duration / 1000000), latency:percentile(50) / 1000,
    latency:percentile(95) / 1000, latency:percentile(99) / 1000, summary.errors.status + summary.errors.connect
    + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
