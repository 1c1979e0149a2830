import { defineScript, type CommandParser } from '@redis/client'

/**
 * One step of an exact sliding-window log: a sorted set of the moments (microseconds of the server's clock) of a key's
 * requests in the window. Answers whether one is allowed, how many are in the window, and microseconds until it is empty,
 * or, where none is allowed, until one is; -1 where that is never.
 *
 * The clock never goes back for a key, and a moment's requests are numbered: members never fall
 * together.
 */
const SCRIPT = `
local key, window, limit, take = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local latest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
if latest[2] and tonumber(latest[2]) > now then now = tonumber(latest[2]) end
redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now - window))
local size = redis.call('ZCARD', key)
local allowed = size < limit
if take and allowed then
  local moment = string.format('%.0f', now)
  redis.call('ZADD', key, moment, moment .. ':' .. size)
  redis.call('PEXPIRE', key, math.ceil(window / 1000))
  size = size + 1
end
if size == 0 then return { allowed and 1 or 0, 0, allowed and 0 or -1 } end
local awaited = size - 1
if not allowed then awaited = math.min(awaited, size - limit) end
local score = redis.call('ZRANGE', key, awaited, awaited, 'WITHSCORES')[2]
return { allowed and 1 or 0, size, tonumber(score) + window - now }
`

export type WindowState = [allowed: 0 | 1, size: number, resetMicroseconds: number]

export const slidingWindow = defineScript({
  SCRIPT,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser: CommandParser, key: string, windowMs: number, limit: number, take: boolean) {
    parser.pushKey(key)
    parser.push(String(windowMs * 1000), String(limit), take ? '1' : '0')
  },
  transformReply: undefined as unknown as () => WindowState,
})
