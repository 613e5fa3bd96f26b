-- Sends the requests of a file in turn, and after each answer of a flow the request that follows on it.
local requests, follow, count, index = {}, '', 0, 0
local waiting, head, tail = {}, 1, 0
local numberMark, idMark = '#########', 'int_@@@@@@@@@@@@@@@@@@@@@@@@@@'
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local function textOf(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

-- Neither mark has characters with a meaning in patterns.
local function replaced(text, mark, value)
  return (text:gsub(mark, value))
end

-- Which connection is asked next is not told: any answered id is as good as another.
local function note(_, _, body)
  local id = body:match('"intentId":"(int_[0-9a-z]+)"')
  if id then
    tail = tail + 1
    waiting[tail] = id
  end
end

function init(args)
  for text in textOf(args[1]):gmatch('([^%z]+)%z') do table.insert(requests, text) end
  follow = textOf(args[1] .. '.follow')
  number = tonumber(args[2])
  count = #requests
  index = number % count
  if follow ~= '' then response = note end
end

function request()
  if head <= tail then
    local id = waiting[head]
    waiting[head] = nil
    head = head + 1
    return replaced(follow, idMark, id)
  end
  index = index % count + 1
  number = number + 1
  return replaced(requests[index], numberMark, string.format('%09d', number))
end

function done(summary, latency)
  local errors = summary.errors
  local isSilent = summary.requests == 0
  print(string.format(
    '{"answered":%d,"seconds":%f,"refused":%d,"number":%d,"p50Ms":%f,"p99Ms":%f}',
    summary.requests, summary.duration / 1e6,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    threads[1]:get('number'),
    isSilent and 0 or latency:percentile(50) / 1000, isSilent and 0 or latency:percentile(99) / 1000
  ))
end
