/** What is said to PostgreSQL. Each is one round trip, and atomic by itself. */
import { surfaceTypes } from "../../../schemas/SessionEvent.ts"

/** The worker that opens a session is alive, and has it open. `from` has the session in it. */
const opens = (from: string, session: string, worker: string) => `worker as (
  insert into agent_context_workers (worker_id, seen_at) select ${worker}::uuid, now() from ${from}
  on conflict (worker_id) do update set seen_at = now()
  returning worker_id
), opened as (
  insert into agent_context_open (session_id, worker_id) select ${session}, worker.worker_id from worker
  on conflict do nothing
)`

/** `$1` session, `$2` worker, `$3` id, `$4` cwd, `$5` searched, `$6` time, `$7` nonce. A row if it is new. */
export const create = `with made as (
  insert into agent_context_sessions (session_id, id, cwd, searched, created_at, nonce)
  values ($1, $3, $4, $5, $6::float8, $7::uuid)
  on conflict (session_id) do nothing
  returning session_id
), ${opens("made", "$1", "$2")}
select session_id from made`

/** `$1` session, `$2` nonce. */
export const madeBy = `select 1 as made from agent_context_sessions where session_id = $1 and nonce = $2::uuid`

const running = (interval: string) => `exists (
  select 1 from agent_context_open o join agent_context_workers w using (worker_id)
  where o.session_id = s.session_id and w.seen_at > now() - ${interval}::float8 * interval '1 millisecond'
)`

const head = (isRunning: string) => `select -1 as seq, 0::float8 as at, json_build_object(
  'id', s.id, 'cwd', s.cwd, 'title', s.title, 'createdAt', s.created_at, 'length', s.length, 'floor', s.floor,
  'running', ${isRunning}
)::text as body from session s`

const needed = `${head("false")}
union all
select seq, at, body from agent_context_events where session_id = $1 and seq >= (select floor from session)
union all
select seq, at, body from agent_context_events
where session_id = $1 and seq = any (array(select unnest(carried) from session))`

/**
 * `$1` session, `$2` worker. A row of `seq` -1 with what is known of the session, then every event that the model can
 * see or that came after, then what is needed of those before. Nothing where there is no such session.
 */
export const open = `with session as (
  select * from agent_context_sessions where session_id = $1
), ${opens("session", "$1", "$2")}
${needed}`

/** `$1` session. As {@link open}, for somebody who is no worker. */
export const read = `with session as (
  select * from agent_context_sessions where session_id = $1
)
${needed}`

/** `$1` session, `$2` id, `$3` cwd, `$4` searched, `$5` time, `$6` nonce. Makes it if it is new. */
export const make = `insert into agent_context_sessions (session_id, id, cwd, searched, created_at, nonce)
values ($1, $2, $3, $4, $5::float8, $6::uuid) on conflict (session_id) do nothing`

const types = [...surfaceTypes].map((type) => `'${type}'`).join(", ")

/** `$1` session, `$2` milliseconds a worker may be silent. A row of `seq` -1, then what the model can see, unordered. */
export const surface = `with session as (
  select * from agent_context_sessions where session_id = $1
)
${head(running("$2"))}
union all
select seq, at, body from agent_context_events
where session_id = $1 and seq >= (select floor from session) and type in (${types})`

/**
 * `$1` session, `$2` length it has to have, `$3` floor, `$4` carried, `$5` title, `$6` searched, `$7` time, `$8` batch,
 * `$9` types, `$10` bodies. A row for each event, or none where the log has another length.
 */
export const append = `with tip as (
  update agent_context_sessions
  set length = $2::int + cardinality($9::text[]), floor = $3::int, carried = $4::int[],
    title = $5::text, searched = coalesce($6::text, searched)
  where session_id = $1 and length = $2::int
  returning session_id
)
insert into agent_context_events (session_id, seq, at, type, batch, body)
select tip.session_id, $2::int + e.n::int - 1, e.at, e.type, case when e.n = 1 then $8::uuid end, e.body
from tip, unnest($7::float8[], $9::text[], $10::text[]) with ordinality as e (at, type, body, n)
returning seq`

/** `$1` session, `$2` seq, `$3` batch. */
export const isMine = `select 1 as mine from agent_context_events
where session_id = $1 and seq = $2::int and batch = $3::uuid`

/** `$1` session, `$2` first seq, `$3` the one behind the last. */
export const events = `select seq, at, body from agent_context_events
where session_id = $1 and seq >= $2::int and seq < $3::int order by seq`

/** `$1` milliseconds a worker may be silent. */
export const list = `select s.id, s.cwd, s.title, s.created_at, ${running("$1")} as running
from agent_context_sessions s order by s.created_at desc, s.session_id`

/** `$1` milliseconds a worker may be silent, `$2` pattern, `$3` cwd, `$4` limit. */
export const search = `select s.id, s.cwd, s.title, s.created_at, ${running("$1")} as running
from agent_context_sessions s where s.searched like $2
order by (s.cwd = $3) desc, (s.cwd = '') desc, s.created_at desc, s.session_id limit $4::int`

/** `$1` session, `$2` worker. */
export const close = `delete from agent_context_open where session_id = $1 and worker_id = $2::uuid`

/** `$1` worker. Those that have not been seen for a day are not coming back. */
export const beat = `with gone as (
  delete from agent_context_workers where seen_at < now() - interval '1 day'
)
update agent_context_workers set seen_at = now() where worker_id = $1::uuid`

/** `$1` worker. */
export const leave = `delete from agent_context_workers where worker_id = $1::uuid`
