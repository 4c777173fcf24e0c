"""The SQL of what lies around the annotation: stock, trust, money, conversations, reports, gold, platforms, imports."""

from studies.large_project.rows import AT, IMAGES, NOUN, PLACE, SHOWN

WORKERS = "generate_series(0, %(workers)s - 1) AS w"
TASKS = "unnest(%(tasks)s) WITH ORDINALITY AS tasks (task, t)"
OWN = "%(worker)s + w"
NOW = "%(now)s"
KNOWN, KNOWN_EACH = 120, 10
"""Verification questions of a task, and how many of them each worker has answered."""
TRUTHS = """(CASE task WHEN 'coreference_link' THEN '"same"' WHEN 'chain_verification' THEN '"true"'
    WHEN 'box_requirement' THEN '1' WHEN 'box_drawing' THEN '[[10, 10, 80, 70]]' WHEN 'box_quality' THEN '"good"'
    ELSE '"all there"' END)::jsonb"""
Statement = tuple[str, str]


def around() -> list[Statement]:
    """Return (table, statement) in the order in which they run, after those of `rows.statements`."""
    return [*_stock(), *_trust(), *_money(), *_said(), *_platforms(), *_gold(), *_campaign()]


def _insert(table: str, source: str, /, **columns: str) -> Statement:
    """Return a statement that stores a row for each row of the source. `columns`: the SQL of each value."""
    return table, f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM {source}"


def _stock() -> list[Statement]:
    mentions = ", ".join(PLACE.format(m=number) for number in ("(i %% 8)", "(i %% 8 + 8)"))
    known = _insert(
        "pipeline_knownquestion",
        f"generate_series(0, least(%(images)s, {KNOWN}) - 1) AS i, {TASKS}",
        **{"project_id": "%(project)s", "task": "task", "image_id": "%(image)s + i", "truth": TRUTHS},
        shown=SHOWN.format(mentions=f"jsonb_build_array({mentions})", new_box="NULL::jsonb"),
        key="md5(i || task)",
        purpose=f"CASE WHEN i < {KNOWN} * 5 / 6 THEN 'verification' ELSE 'test' END",
        **{"explanation": "''", "not_for": "'[]'", "source": "'gold'", "added_by": "''", "created_at": NOW},
    )
    first = """(SELECT worker_id, task, min(id) AS id FROM pipeline_assignment WHERE project_id = %(project)s
        GROUP BY worker_id, task) AS a"""
    own = f"""(SELECT id, task, truth, (row_number() OVER (PARTITION BY task ORDER BY id) - 1) / {KNOWN_EACH} AS part
        FROM pipeline_knownquestion WHERE project_id = %(project)s) AS k"""
    answers = _insert(
        "pipeline_judgment",
        f"{first} JOIN {own} ON k.task = a.task AND k.part = a.worker_id %% 10",
        **{"known_id": "k.id", '"right"': "(k.id + a.worker_id) %% 9 > 0", "worker_id": "a.worker_id"},
        **{"assignment_id": "a.id", "answer": "k.truth", "comment": "''", "seconds": "6", "created_at": NOW},
    )
    return [known, answers]


def _trust() -> list[Statement]:
    one = {"worker_id": OWN, "project_id": "%(project)s", "task": "task"}
    source = f"{WORKERS}, {TASKS}"
    state = """CASE WHEN w %% 50 = 7 THEN 'barred' WHEN w %% 20 = 3 THEN 'probation' ELSE 'trusted' END"""
    no = {"tests_failed": "0", "asked": "0", "verified": "0", "rounds": "0", "resumes": "''", "seen": "'[]'"}
    status = _insert(
        "workers_truststatus",
        source,
        **one,
        **no,
        **{"state": state, "passed_test": "true", "had_second_probation": "false", "take_back": "false"},
        **{"images": "'[]'", "appealed": "w %% 50 = 7 AND t = 1", "trusted_since": f"{NOW} - interval '60 days'"},
        score_since=f"{NOW} - interval '60 days'",
    )
    change = _insert(
        "workers_trustchange",
        f"{source}, generate_series(0, 2) AS c",
        **one,
        event="(ARRAY['began the test', 'passed the test', 'passed the probation'])[c + 1]",
        old="(ARRAY['', 'testing', 'probation'])[c + 1]",
        new="(ARRAY['testing', 'probation', 'trusted'])[c + 1]",
        **{"reason": "'made up'", "figures": "'{}'", "actor": "''", "created_at": f"{NOW} - interval '60 days'"},
    )
    signal = _insert(
        "workers_workersignal",
        "generate_series(0, least(300, %(workers)s) - 1) AS w",
        **{"project_id": "%(project)s", "kind": "'same answer'", "task": "'box_quality'", "chance": "0.0001"},
        workers="jsonb_build_array(%(worker)s + w)",
        words="'Gives the same answer always.'",
        evidence="""'{"judgments": [], "count": 100, "tests": 600}'""",
        found_at=NOW,
        gone_at=f"CASE WHEN w %% 6 > 0 THEN {NOW} END",
        **{"dismissed_by": "''", "note": "''"},
    )
    return [status, change, signal]


def _money() -> list[Statement]:
    paid = _insert(
        "pipeline_ledgerentry",
        "pipeline_assignment WHERE project_id = %(project)s",
        **{"worker_id": "worker_id", "project_id": "project_id", "assignment_id": "id", "cents": "earned_cents"},
        kind="CASE WHEN id %% 100 = 0 THEN 'refused' WHEN id %% 97 = 0 THEN 'bonus' ELSE 'paid' END",
        reason="'made up'",
        reference="'r' || id",
        **{"actor": "''", "created_at": "ended_at"},
    )
    total = """INSERT INTO pipeline_spending (project_id, committed_cents)
        SELECT %(project)s, coalesce(sum(earned_cents), 0) FROM pipeline_assignment WHERE project_id = %(project)s"""
    return [paid, ("pipeline_spending", total)]


def _said() -> list[Statement]:
    talk = f"{WORKERS}, generate_series(0, 4) AS c"
    conversation = _insert(
        "messaging_conversation",
        talk,
        **{"worker_id": OWN, "project_id": "%(project)s", "subject": "'other'", "task": "''"},
        created_at=f"{NOW} - c * interval '3 days'",
        waits_since=f"CASE WHEN c = 0 THEN {NOW} END",
    )
    post = _insert(
        "messaging_post",
        "messaging_conversation AS t, generate_series(0, 3) AS n WHERE t.project_id = %(project)s",
        **{"conversation_id": "t.id", "actor": "CASE n %% 2 WHEN 1 THEN 'ann' ELSE '' END"},
        text="'Is the dog one thing or two?'",
        **{"created_at": "t.created_at", "mail": "''", "mail_tries": "0"},
    )
    notice = _insert(
        "workers_message",
        talk,
        **{"worker_id": OWN, "project_id": "%(project)s", "text": "'Thank you.'", "created_at": NOW},
    )
    skip = _insert(
        "pipeline_skip",
        "pipeline_judgment AS j WHERE j.question_id %% 100 = 3 AND j.question_id >= %(question)s",
        **{"question_id": "j.question_id", "worker_id": "j.worker_id", "assignment_id": "j.assignment_id"},
        reason="'unclear'",
        comment="CASE WHEN j.id %% 10 = 0 THEN 'Which dog?' ELSE '' END",
        created_at="j.created_at",
    )
    report = _insert(
        "pipeline_entry",
        f"{IMAGES} WHERE i %% 50 = 9",
        **{"project_id": "%(project)s", "image_id": "%(image)s + i", "sequence": "500", "kind": "'report'"},
        settings_version="1",
        data="""jsonb_build_object('worker', %(worker)s, 'what', 'caption', 'number', 1)""",
        **{"actor": "''", "reason": f"'This is no ' || {NOUN}", "created_at": AT},
    )
    return [conversation, post, notice, skip, report]


def _platforms() -> list[Statement]:
    identity = _insert(
        "platforms_identity", WORKERS, worker_id=OWN, platform="'mturk'", external_id="'A' || (%(worker)s + w)"
    )
    offer = _insert(
        "platforms_offer",
        f"generate_series(0, 49) AS o, {TASKS}",
        **{"platform": "'mturk'", "project_id": "%(project)s", "task": "task", "kind": "'work'", "state": "'ended'"},
        key="'made ' || %(project)s || ' ' || o || ' ' || t",
        **{"external_id": "'H' || o", "places": "200", "taken": "200", "least": "1", "quota": "5"},
        **{"reward_cents": "20", "pays_tests": "false", "seconds": "3600", "terms": "'{}'", "tries": "1"},
        last_error="CASE WHEN o = 0 THEN 'throttled' ELSE '' END",
        **{"created_at": NOW, "expires_at": NOW},
    )
    session = _insert(
        "platforms_session",
        """(SELECT id, row_number() OVER (ORDER BY id) AS o FROM platforms_offer WHERE project_id = %(project)s) AS f,
            generate_series(0, %(images)s / 150) AS n""",
        **{"offer_id": "f.id", "worker_id": "%(worker)s + (n * 7 + o) %% %(workers)s", "external_id": "'S' || n"},
        **{"state": "'finished'", "platform_state": "'approved'", "opened_at": NOW, "ends_at": NOW},
        **{"nothing_open": "false", "visitor": "''", "strangers": "0"},
    )
    payment = _insert(
        "platforms_payment",
        """platforms_session AS s JOIN platforms_offer AS f ON f.id = s.offer_id
            WHERE f.project_id = %(project)s""",
        **{"session_id": "s.id", "kind": "'approve'", "cents": "20", "reason": "''", "external_id": "''"},
        state="CASE WHEN s.id %% 2000 = 0 THEN 'refused' ELSE 'done' END",
        **{"tries": "1", "last_error": "''", "created_at": NOW},
    )
    return [identity, offer, session, payment]


def _gold() -> list[Statement]:
    some = "generate_series(0, least(%(images)s, 200) - 1) AS i"
    boxes = """jsonb_build_array(jsonb_build_array(10, 10, 80, 70))"""
    chains = f"""(SELECT jsonb_agg(jsonb_build_object('name', c::text, 'mentions', jsonb_build_array(c, c + 8),
        'scene', false, 'boxes', {boxes})) FROM generate_series(0, 7) AS c)"""
    gold = _insert("annotation_gold", some, image_id="%(image)s + i", chains=chains)
    image = _insert(
        "campaign_goldimage",
        some,
        **{"image_id": "%(image)s + i", "place": "i", "annotators": "2", "disputes": "i %% 3", "added_at": NOW},
        settled_at=f"CASE WHEN i < 150 THEN {NOW} END",
        gives="""'{"coreference_link": {"same": 8, "different": 20}, "box_quality": {"good": 5, "bad": 5}}'""",
    )
    drawn = f"""(SELECT jsonb_agg(jsonb_build_object('mentions', jsonb_build_array(c, c + 8), 'non_visual', '',
        'boxes', {boxes})) FROM generate_series(0, 7) AS c)"""
    sheet = _insert(
        "campaign_goldannotation",
        f"{some}, generate_series(1, 2) AS n",
        **{"gold_image_id": "%(image)s + i", "name": "'reviewer ' || n", "settles": "false", "chains": drawn},
        **{"revision": "8", "begun_at": NOW, "finished_at": NOW},
    )
    return [gold, image, sheet]


def _campaign() -> list[Statement]:
    program = """INSERT INTO workers_worker (name, kind, created_at)
        SELECT 'model ' || n || ' of ' || %(project)s, 'program', %(now)s FROM generate_series(1, 3) AS n"""
    predicted = _insert(
        "campaign_modelprediction",
        f"{IMAGES}, (SELECT id FROM workers_worker WHERE name LIKE 'model %%%% of ' || %(project)s) AS p",
        **{"project_id": "%(project)s", "program_id": "p.id", "image_id": "%(image)s + i"},
        boxes="""(SELECT jsonb_agg(jsonb_build_array(m, 10, 10, 80, 70)) FROM generate_series(0, 7) AS m)""",
        **{"chains": "'[[0, 8], [1, 9]]'", "due": "i %% 3 = 0", "made_by": "''", "created_at": NOW},
    )
    version = """INSERT INTO pipeline_settingsversion (project_id, version, "values", reason, created_at, made_by)
        SELECT %(project)s, 1 + n, "values", 'made up', %(now)s, 'ann' FROM pipeline_settingsversion,
            generate_series(1, 20) AS n WHERE project_id = %(project)s AND version = 1"""
    run = _insert(
        "campaign_importrun",
        "generate_series(1, 30) AS n",
        **{"project_id": "%(project)s", "kind": "'import'", "source": "''", "gold": "false", "state": "'done'"},
        **{"wanted": "''", "done": "%(images)s", "total": "%(images)s", "images": "%(images)s"},
        **{"already_there": "0", "left_out": "300", "without_phrases": "0", "problem": "''", "asked_at": NOW},
    )
    problem = _insert(
        "campaign_importproblem",
        "campaign_importrun AS r, generate_series(1, 300) AS n WHERE r.project_id = %(project)s",
        **{"run_id": "r.id", "file": "'captions.jsonl'", "line": "n", "image": "''", "message": "'no picture'"},
    )
    alert = _insert(
        "campaign_alert",
        "generate_series(1, 500) AS n",
        **{"project_id": "%(project)s", "kind": "'review'", "count": "n", "words": "'chains'", "path": "'/'"},
        **{"began_at": NOW, "settled_at": NOW},
    )
    sample = _insert(
        "campaign_errorsample",
        "generate_series(1, 10) AS n",
        **{"project_id": "%(project)s", "seed": "n", "made_by": "'ann'", "created_at": NOW},
        images="""(SELECT jsonb_agg(%(image)s + i) FROM generate_series(0, least(%(images)s, 500) - 1) AS i)""",
        tallies="""(SELECT jsonb_object_agg(%(image)s + i, '{"errors": {"chunking": 1}, "mentions": 16, "chains": 8,
            "boxes": 9}'::jsonb) FROM generate_series(0, least(%(images)s, 400) - 1) AS i)""",
    )
    made = ("workers_worker", program)
    return [made, predicted, ("pipeline_settingsversion", version), run, problem, alert, sample]
