-- mixed lua workload: closures, string ops, tables, coroutines, pcall errors, sort, gsub, metatables
local N = tonumber(arg and arg[1]) or 1
local out = 0
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
local function sieve(n) local p = {} for i = 2, n do p[i] = true end for i = 2, n do if p[i] then for j = i*i, n, i do p[j] = false end end end local c = 0 for i = 2, n do if p[i] then c = c + 1 end end return c end
local seed = 42
local function rnd(m) seed = (seed * 1103515245 + 12345) & 0x7fffffff; return seed % m end
local mt = {__index = function(t, k) return #k end, __add = function(a, b) return setmetatable({v = a.v + b.v}, getmetatable(a)) end, __lt = function(a, b) return a.v < b.v end, __concat = function(a, b) return tostring(a) .. tostring(b) end, __tostring = function(a) return "<" .. a.v .. ">" end, __call = function(self, x) return x + self.v end, __eq = function(a, b) return a.v == b.v end, __len = function(a) return a.v end, __close = function() out = out + 1 end}
for rep = 1, N do
  out = out + fib(18) + sieve(3000)
  local t = {} for i = 1, 800 do t[i] = rnd(100000) end table.sort(t) table.sort(t, function(a, b) return a > b end) out = out + t[1]
  local words, s = {}, {} for i = 1, 300 do s[#s+1] = ("w%d_%s"):format(rnd(50), ("abc"):rep(rnd(3))) end
  local str = table.concat(s, " ") for w in str:gmatch("%w+_%a*") do words[w] = (words[w] or 0) + 1 end
  for k, v in pairs(words) do out = out + #k * v end
  str = str:gsub("w(%d+)", function(d) return d + 1 end):upper():lower():reverse() out = out + #str + (str:find("cba", 1, true) or 0) + str:byte(3)
  local co = coroutine.wrap(function(a) for i = 1, 100 do a = a + coroutine.yield(i * a) end return a end) local x = 1 for i = 1, 50 do x = co(i) end out = out + x
  for i = 1, 100 do local ok, e = pcall(function() if i % 3 == 0 then error("e" .. i) elseif i % 3 == 1 then error({code = i}) elseif i % 5 == 0 then local z = nil; return z.x end return i end) if not ok then out = out + (type(e) == "table" and e.code or #tostring(e)) end end
  local a, b = setmetatable({v = 1}, mt), setmetatable({v = 2}, mt) for i = 1, 100 do a = a + b; if b < a then out = out + a(1) + #a end out = out + #(a .. b) + a.foo; if a == b then out = out - 1 end do local c <close> = a end end
  local f = load("local x = ... ; local t = {} ; for i = 1, x do t[#t+1] = i // 2 + i % 3 - (i ~ 5) ~ (i << 2) | 1 & 255 end ; while #t > 3 do t[#t] = nil end ; repeat x = x - 1 until x < 0 ; goto l ; ::l:: return #t, ...") for i = 1, 10 do out = out + f(i * 7) end
  local fl = 0.0 for i = 1, 500 do fl = fl + math.sqrt(i) * math.sin(i) / (i + 0.5) ^ 1.5 - math.floor(fl) end out = out + math.floor(fl * 1000)
  local parts = {} for i = 1, 60 do parts[i] = string.pack(">I4s2", i, "x" .. i) end for i = 1, 60 do local n, q = string.unpack(">I4s2", parts[i]) out = out + n + #q end
  for _, c in utf8.codes("héllo wörld ☃ añ") do out = out + c end
  local u = {table.unpack(t, 1, 50)} table.move(u, 1, 50, 10) out = out + select('#', table.unpack(u)) + #u  + tonumber("0x1F") + tonumber("12.5") // 1 + math.tointeger(3.0) out = out + (tostring(rep) .. 1.5):len()
  collectgarbage(rep % 5 == 0 and "collect" or "step")
end
print(string.format("%.0f", out))
local s = 0
for i = 1, 100000 do local f = math.floor(i % 3 == 0 and 1e300 or (i % 3 == 1 and -1e300 or i + 0.5)); s = s + (f > 0 and 1 or 0) end
print(s)
