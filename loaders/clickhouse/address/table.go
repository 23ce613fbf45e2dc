package address

// RecommendedTable is how a table is made that is read fast, and how a trainer's log is loaded into it: statements
// for ClickHouse.
const RecommendedTable = `CREATE TABLE rl.rollouts (
    run             LowCardinality(String),
    step            UInt32,
    prompt_id       String,             -- tells groups apart within a step
    sample_idx      UInt32,             -- the row in the trainer's batch, or the sample in its group
    reward          Nullable(Float64),
    advantage       Nullable(Float64),  -- as the trainer logged it, if it did
    response_length UInt32,             -- in tokens
    prompt          String CODEC(ZSTD),
    response        String CODEC(ZSTD),
    split           LowCardinality(String) DEFAULT 'train', -- evaluations, as 'eval', are told from training
    run_attempt     UInt16 DEFAULT 0    -- one more for each start of the run: what it writes again replaces the rows of before
) ENGINE = MergeTree ORDER BY (run, step, prompt_id, sample_idx);

-- over several servers: the samples of a group stay together
CREATE TABLE rl.all AS rl.rollouts
    ENGINE = Distributed('CLUSTER', rl, rollouts, cityHash64(run, step, prompt_id));

-- a step of verl, with clickhouse-client ... < 17.jsonl
INSERT INTO rl.rollouts (run, step, prompt_id, sample_idx, reward, prompt, response)
    SELECT 'grpo-7b', step, hex(cityHash64(input, gts)), rowNumberInAllBlocks(), score, input, output
    FROM input('step UInt32, score Float64, input String, output String, gts String') FORMAT JSONEachRow;

-- who only looks needs no more than this
CREATE USER viewer IDENTIFIED BY '...' SETTINGS readonly = 1;
GRANT SELECT ON rl.* TO viewer;
`
