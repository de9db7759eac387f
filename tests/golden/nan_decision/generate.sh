#!/bin/sh
# Makes log.db with a program of version 0.1.0 before decisions were checked (commit 2bce0b0): three experiments, of which "g"
# and "h" hold acknowledged decisions with a band that is not a number. That program cannot start on the folder again.
#   generate.sh PROGRAM FOLDER
set -eu
program=$1 folder=$2
url=http://127.0.0.1:18431/v1/experiments
"$program" serve --data "$folder" --listen 127.0.0.1:18431 > /dev/null 2>&1 &
server=$!
until curl -fs http://127.0.0.1:18431/readyz > /dev/null; do sleep 0.1; done
post() { curl -fsS -d "$2" "$url$1" > /dev/null; sleep 0.3; }
post "" '{"name":"sound","spec":{"policy":"ek-ucb","kernel":{"type":"gaussian"}}}'
post /sound/decide '{"event_id":"s0","actions":[[0.1],[0.9]]}'
post "" '{"name":"g","spec":{"policy":"gp-ucb","kernel":{"type":"linear"}}}'
post /g/decide '{"event_id":"d0","actions":[[9e153]]}'
post /g/reward '{"event_id":"d0","reward":1}'
post /g/decide '{"event_id":"d1","actions":[[9e153]]}'
post /sound/reward '{"event_id":"s0","reward":0.5}'
post "" '{"name":"h","spec":{"policy":"amm-ucb","kernel":{"type":"linear"},"bound":{"noise_bound":1e-100,"norm_bound":1e200}}}'
for k in 0 1 2 3; do
  post /h/decide "{\"event_id\":\"h$k\",\"actions\":[[0],[$k]]}"
  post /h/reward "{\"event_id\":\"h$k\",\"reward\":1}"
done
post /sound/decide '{"event_id":"s1","actions":[[0.2],[0.8]]}'
kill $server
wait $server || true
sqlite3 "$folder/log.db" "PRAGMA journal_mode = DELETE; VACUUM" > /dev/null
rm -rf "$folder/snapshots" "$folder"/index.db* "$folder/lock" "$folder/mark"
