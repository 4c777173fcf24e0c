"""The SQL that makes the rows of a large project: one statement for each table, all rows made by the database.

Ids are computed, so that no statement looks rows up: question `n` of image `i` has the id `base + i * per image + n`.
"""

QUESTIONS, BATCHES, JUDGMENTS, MENTIONS, BOXES, MERGED = 72, 12, 81, 16, 11, 9
"""Rows per image. The paper has 7.7 chains, 16.2 mentions and 8.7 merged boxes."""
PLAN = (
    # task, its first question, questions, first assignment, questions per assignment, who judges again
    ("coreference_link", 0, 36, 0, 9, 0),
    ("chain_verification", 36, 4, 4, 4, 0),
    ("box_requirement", 40, 6, 5, 6, 3),
    ("box_drawing", 46, 10, 6, 5, 0),
    ("box_quality", 56, 10, 8, 10, 0),
    ("box_coverage", 66, 6, 9, 6, 6),
)
"""The questions of an image. `again`: how many get a second judgment, in an assignment of their own."""
AGAIN = {"box_requirement": 10, "box_coverage": 11}
"""The place of the assignment of second judgments."""
ANSWERS = {
    "coreference_link": """CASE WHEN n % 3 = 0 THEN '"same"' ELSE '"different"' END""",
    "chain_verification": """CASE WHEN (i + n) % 10 = 0 THEN '"false"' ELSE '"true"' END""",
    "box_requirement": "CASE WHEN n % 3 = 0 THEN '2' ELSE '1' END",
    "box_drawing": """'{"box": [10, 10, 80, 70]}'""",
    "box_quality": """CASE WHEN (i + n) % 7 = 0 THEN '"bad"' ELSE '"good"' END""",
    "box_coverage": """CASE WHEN (i + n) % 8 = 0 THEN '"more needed"' ELSE '"all there"' END""",
}
OUTCOMES = {
    "coreference_link": "CASE WHEN n % 3 = 0 THEN 'same' ELSE 'different' END",
    "chain_verification": "CASE WHEN (i + n) % 10 = 0 THEN 'false' ELSE 'true' END",
    "box_requirement": "CASE WHEN n % 3 = 0 THEN 'no box required' ELSE 'box required' END",
    "box_drawing": "'box'",
    "box_quality": "CASE WHEN (i + n) % 7 = 0 THEN 'bad' ELSE 'good' END",
    "box_coverage": "'all there'",
}
IMAGES = "generate_series(0, %(images)s - 1) AS i"
CHAINS_OF = "(7 + CASE WHEN i * 17 %% 100 < 68 THEN 1 ELSE 0 END)"
DONE = "i < %(images)s * 90 / 100"
BOXING = "i < %(images)s * 97 / 100"
"""The first nine tenths of the images are merged, the next are boxing, the last linking."""
AT = "%(now)s - interval '60 days' * (1 - i::float / %(images)s)"
"""The images were annotated one after another, over sixty days."""
NOUN = """(CASE WHEN i %% 10 = 3 THEN 'dog' ELSE
    (ARRAY['bike', 'wall', 'street', 'ball', 'boat', 'horse', 'table', 'tree', 'car'])[1 + i %% 9] END)"""
"""The thing beside a man: a dog in each tenth image."""
PHRASE = "(ARRAY['A man', 'shirt ' || i, 'a ' || {noun}, 'past the'])[1 + m / 5]"
SHOWN = "jsonb_build_object('mentions', {mentions}, 'boxes', '[]'::jsonb, 'new_box', {new_box})"
PLACE = "jsonb_build_array({m}, {m} %% 5, {m} / 5 * 3, {m} / 5 * 3 + 2)"
"""A mention in its caption: four of an image are in the first caption, three in each of the others."""
WORKER = "%(worker)s + (i * 13 + {place} * 37) %% %(workers)s"


def statements() -> dict[str, str]:
    """Return the statements by the table that they fill, in order."""
    return {**_captions(), **_chains(), **_work(), **_workers()}


def _captions() -> dict[str, str]:
    return {
        "annotation_image": f"""
            INSERT INTO annotation_image (id, project_id, name, position, width, height, picture, state, source)
            SELECT %(image)s + i, %(project)s, 'made-' || lpad(i::text, 6, '0'), i, 500, 375,
                'originals/made/' || lpad(i::text, 6, '0') || '.jpg',
                CASE WHEN {DONE} THEN 'merged' WHEN {BOXING} THEN 'boxing' ELSE 'linking' END, ''
            FROM {IMAGES}""",
        "annotation_caption": f"""
            INSERT INTO annotation_caption (id, image_id, number, text, words, offsets, non_visual, chunked)
            SELECT %(caption)s + i * 5 + c, %(image)s + i, c, said, to_jsonb(string_to_array(said, ' ')),
                '[0, 2, 6, 9, 15, 21, 25, 27, 31, 36, 41, 45, 50, 57]', '[]', true
            FROM {IMAGES}, generate_series(0, 4) AS c,
                LATERAL (SELECT 'A man in shirt ' || i || ' and a ' || {NOUN} || ' walk past the wall number ' || c
                    AS said) AS s""",
        "annotation_mention": f"""
            INSERT INTO annotation_mention (image_id, caption_id, number, start, "end", types, text, chain)
            SELECT %(image)s + i, %(caption)s + i * 5 + m %% 5, m, m / 5 * 3, m / 5 * 3 + 2,
                CASE m %% 4 WHEN 0 THEN '["people"]' WHEN 1 THEN '["clothing"]' WHEN 2 THEN '["scene"]'
                    ELSE '["other"]' END::jsonb, {PHRASE.format(noun=NOUN)}, m %% {CHAINS_OF}
            FROM {IMAGES}, generate_series(0, {MENTIONS - 1}) AS m""",
    }


def _chains() -> dict[str, str]:
    return {
        "annotation_chain": f"""
            INSERT INTO annotation_chain (image_id, name, state, representative, non_visual, doubted, review)
            SELECT %(image)s + i, c, state, c, CASE state WHEN 'non-visual' THEN 'scene' ELSE '' END, '',
                CASE state WHEN 'review' THEN 'cycling' ELSE '' END
            FROM {IMAGES}, generate_series(0, 7) AS c, LATERAL (SELECT CASE
                WHEN {DONE} THEN CASE c WHEN 2 THEN 'non-visual' ELSE 'complete' END
                WHEN NOT {BOXING} THEN 'linking'
                ELSE (ARRAY['drawing', 'quality', 'coverage', 'requirement', 'verification', 'complete', 'review'])[
                    1 + (i + c) %% 7] END AS state) AS s
            WHERE c < {CHAINS_OF}""",
        "annotation_box": f"""
            INSERT INTO annotation_box (image_id, number, chain, state, drawn_by_id, judged_at, x0, y0, x1, y1)
            SELECT %(image)s + i, b, b %% {CHAINS_OF}, CASE WHEN b %% 7 = 6 THEN 'discarded' ELSE 'accepted' END,
                {WORKER.format(place=6)}, {AT}, 10 + b, 10, 80 + b, 70
            FROM {IMAGES}, generate_series(0, {BOXES - 1}) AS b WHERE {BOXING}""",
        "annotation_mergedbox": f"""
            INSERT INTO annotation_mergedbox (image_id, number, members, x0, y0, x1, y1)
            SELECT %(image)s + i, b, jsonb_build_array(b + b / 6), 10 + b, 10, 80 + b, 70
            FROM {IMAGES}, generate_series(0, {MERGED - 1}) AS b WHERE {DONE}""",
    }


def _work() -> dict[str, str]:
    return {
        "pipeline_progress": f"""
            INSERT INTO pipeline_progress (image_id, project_id, sequence, state, due)
            SELECT %(image)s + i, %(project)s, {JUDGMENTS}, CASE WHEN {DONE} THEN %(merged)s::jsonb
                WHEN {BOXING} THEN %(boxing)s::jsonb ELSE %(linking)s::jsonb END, '' FROM {IMAGES}""",
        "pipeline_question": " UNION ALL ".join(_questions()).join(
            (
                "INSERT INTO pipeline_question (id, project_id, image_id, task, number, subject, chain, state, outcome,"
                " barred, barred_count, skipped, skipped_count, shown, for_people, opened_at) ",
                "",
            )
        ),
        "pipeline_assignment": " UNION ALL ".join(_assignments()).join(
            (
                "INSERT INTO pipeline_assignment (id, project_id, worker_id, task, state, token, kind, questions,"
                " known, created_at, expires_at, ended_at, reward_cents, earned_cents, acceptance,"
                " acceptance_reason, ahead) ",
                "",
            )
        ),
        "pipeline_judgment": " UNION ALL ".join(_judgments()).join(
            (
                "INSERT INTO pipeline_judgment (question_id, worker_id, assignment_id, answer, comment, seconds,"
                " created_at) ",
                "",
            )
        ),
        "pipeline_transition": " UNION ALL ".join(_transitions()).join(
            (
                "INSERT INTO pipeline_transition (project_id, image_id, machine, subject, old, new, reason, sequence,"
                " created_at) ",
                "",
            )
        ),
        "pipeline_entry": """
            INSERT INTO pipeline_entry (project_id, image_id, sequence, kind, settings_version, judgment_id, data,
                actor, reason, created_at)
            SELECT %(project)s, q.image_id, row_number() OVER (PARTITION BY q.image_id ORDER BY j.id), 'judgment', 1,
                j.id, '{}', '', '', j.created_at
            FROM pipeline_judgment j JOIN pipeline_question q ON q.id = j.question_id
            WHERE q.project_id = %(project)s""",
    }


def _workers() -> dict[str, str]:
    return {
        "workers_access": """
            INSERT INTO workers_access (worker_id, project_id, task, granted_at)
            SELECT %(worker)s + w, %(project)s, task, %(now)s
            FROM generate_series(0, %(workers)s - 1) AS w, unnest(%(tasks)s) AS task""",
        "workers_skillestimate": """
            INSERT INTO workers_skillestimate (worker_id, project_id, task, accuracy, low, high, answers, known_answers,
                computed_at)
            SELECT %(worker)s + w, %(project)s, task, 0.7 + w %% 30 / 100.0, 0.6, 1, 100, 50, %(now)s
            FROM generate_series(0, %(workers)s - 1) AS w, unnest(%(tasks)s) AS task""",
    }


def _questions() -> list[str]:
    return [
        f"""SELECT %(question)s + i * {QUESTIONS} + n, %(project)s, %(image)s + i, '{task}', n,
            {_subject(task)}, {"NULL::int" if task == "coreference_link" else "n %% 7"},
            CASE WHEN {_closed(task)} THEN 'closed' ELSE 'open' END,
            CASE WHEN {_closed(task)} THEN {_twice(OUTCOMES[task])} ELSE '' END,
            '[]'::jsonb, 0, '[]'::jsonb, 0, {_shown(task)}, true, {AT}
        FROM {IMAGES}, generate_series({first}, {first + count - 1}) AS n"""
        for task, first, count, *_ in PLAN
    ]


def _assignments() -> list[str]:
    rows = []
    for task, _, count, place, size, again in PLAN:
        places = f"generate_series({place}, {place + count // size - 1})"
        places = f"(SELECT {places} UNION SELECT {AGAIN[task]})" if again else f"(SELECT {places})"
        rows.append(f"""
            SELECT %(assignment)s + i * {BATCHES} + a, %(project)s, {WORKER.format(place="a")}, '{task}', 'submitted',
                gen_random_uuid(), 'work', '[]'::jsonb, '{{}}'::jsonb, {AT}, {AT} + interval '30 minutes',
                {AT} + interval '95 seconds', 20, 20, '', '', false
            FROM {IMAGES}, {places} AS places (a) WHERE {_closed(task)}""")
    return rows


def _judgments() -> list[str]:
    rows = []
    for task, first, count, place, size, again in PLAN:
        for a, n, most in (
            (f"({place} + (n - {first}) / {size})", first, count),
            *([(str(AGAIN[task]), first, again)] if again else []),
        ):
            rows.append(f"""
                SELECT %(question)s + i * {QUESTIONS} + n, {WORKER.format(place=a)},
                    %(assignment)s + i * {BATCHES} + {a},
                    ({_twice(ANSWERS[task])})::jsonb,
                    CASE WHEN (i * {QUESTIONS} + n) %% 500 = 7 THEN 'The ' || {NOUN} || ' is cut off.' ELSE '' END,
                    4 + (i + n) %% 20, {AT} + n * interval '1 second'
                FROM {IMAGES}, generate_series({n}, {n + most - 1}) AS n WHERE {_closed(task)}""")
    return rows


def _transitions() -> list[str]:
    moves = (
        ("linking", "verification", "several mentions"),
        ("verification", "drawing", "verified"),
        ("drawing", "quality", "a box was drawn"),
        ("quality", "coverage", "good"),
        ("coverage", "drawing", "more needed"),
        ("coverage", "complete", "all there"),
    )
    chains = [
        f"""SELECT %(project)s, %(image)s + i, 'chain', c::text, '{old}', '{new}', '{why}', {place}, {AT}
        FROM {IMAGES}, generate_series(0, 7) AS c WHERE c < {CHAINS_OF} AND {BOXING}"""
        for place, (old, new, why) in enumerate(moves)
    ]
    return [
        *chains,
        f"""SELECT %(project)s, %(image)s + i, 'question', n::text, 'open', 'closed', 'same', n, {AT}
        FROM {IMAGES}, generate_series(0, {QUESTIONS - 1}) AS n WHERE {BOXING}""",
        f"""SELECT %(project)s, %(image)s + i, 'box', b::text, 'pending', 'accepted', 'judged good', b, {AT}
        FROM {IMAGES}, generate_series(0, {BOXES - 1}) AS b WHERE {BOXING}""",
        f"""SELECT %(project)s, %(image)s + i, 'image', '0', 'boxing', 'merged', 'merged', 99, {AT}
        FROM {IMAGES} WHERE {DONE}""",
    ]


def _subject(task: str) -> str:
    if task == "coreference_link":
        return "jsonb_build_array(n %% 8, n %% 8 + 8)"
    return "jsonb_build_array(n %% 7, n - 56)" if task == "box_quality" else "jsonb_build_array(n %% 7)"


def _shown(task: str) -> str:
    pair = task in ("coreference_link", "chain_verification")
    first = "n %% 8" if task == "coreference_link" else "n %% 7"
    mentions = [PLACE.format(m=f"({m})") for m in ([first, f"{first} + 8"] if pair else [first])]
    new_box = "'[10, 10, 80, 70]'::jsonb" if task == "box_quality" else "NULL::jsonb"
    return SHOWN.format(mentions=f"jsonb_build_array({', '.join(mentions)})", new_box=new_box)


def _closed(task: str) -> str:
    """Return the condition for images in which the task's questions are closed."""
    return BOXING if task in ("coreference_link", "chain_verification", "box_requirement") else DONE


def _twice(sql: str) -> str:
    return sql.replace("%", "%%")
