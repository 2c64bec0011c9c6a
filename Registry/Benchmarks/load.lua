-- What wrk sends: the same requests to the registry and to its peer.
-- LOAD = item | list | share | mixed (of 100: 80 items, 15 lists, 5 shares) | page (of 100: 60 items, 20 lists, 15
-- searches, 5 authors); PACE = milliseconds that each connection
-- waits between requests, on average; TOKEN; ITEMS = published items to read; RUN = a word that makes slugs unique.
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

local pace = tonumber(os.getenv("PACE") or "0")
if pace > 0 then
  function delay() return math.random(0, 2 * pace) end
end

function request()
  count = count + 1
  local kind = kind
  if kind == "mixed" then
    local dice = math.random(100)
    kind = dice <= 80 and "item" or dice <= 95 and "list" or "share"
  end
  if kind == "page" then
    local dice = math.random(100)
    local path = dice <= 60 and string.format("/c/bench-%d-0A1B2C3D", math.random(1, items))
      or dice <= 80 and "/?page=" .. math.random(1, 50) or dice <= 90 and "/?q=departure+" .. math.random(1, items)
      or dice <= 95 and "/?tag=safety&type=checklist&sort=most_forked&page=" .. math.random(1, 20) or "/u/bench"
    return wrk.format("GET", path)
  elseif kind == "item" then
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
