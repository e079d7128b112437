-- What Hive 2.3 needs in PostgreSQL to lock tables, as in its hive-txn-schema-2.3.0.postgres.sql.
-- (TxnDbUtil, which makes these tables in Derby, speaks no other dialect.)
CREATE TABLE TXNS (
    TXN_ID bigint PRIMARY KEY,
    TXN_STATE char(1) NOT NULL,
    TXN_STARTED bigint NOT NULL,
    TXN_LAST_HEARTBEAT bigint NOT NULL,
    TXN_USER varchar(128) NOT NULL,
    TXN_HOST varchar(128) NOT NULL,
    TXN_AGENT_INFO varchar(128),
    TXN_META_INFO varchar(128),
    TXN_HEARTBEAT_COUNT integer
);
CREATE TABLE HIVE_LOCKS (
    HL_LOCK_EXT_ID bigint NOT NULL,
    HL_LOCK_INT_ID bigint NOT NULL,
    HL_TXNID bigint,
    HL_DB varchar(128) NOT NULL,
    HL_TABLE varchar(128),
    HL_PARTITION varchar(767),
    HL_LOCK_STATE char(1) NOT NULL,
    HL_LOCK_TYPE char(1) NOT NULL,
    HL_LAST_HEARTBEAT bigint NOT NULL,
    HL_ACQUIRED_AT bigint,
    HL_USER varchar(128) NOT NULL,
    HL_HOST varchar(128) NOT NULL,
    HL_HEARTBEAT_COUNT integer,
    HL_AGENT_INFO varchar(128),
    HL_BLOCKEDBY_EXT_ID bigint,
    HL_BLOCKEDBY_INT_ID bigint,
    PRIMARY KEY (HL_LOCK_EXT_ID, HL_LOCK_INT_ID)
);
CREATE INDEX HL_TXNID_INDEX ON HIVE_LOCKS (HL_TXNID);
CREATE TABLE NEXT_LOCK_ID (NL_NEXT bigint NOT NULL);
INSERT INTO NEXT_LOCK_ID VALUES (1);
CREATE TABLE AUX_TABLE (
    MT_KEY1 varchar(128) NOT NULL,
    MT_KEY2 bigint NOT NULL,
    MT_COMMENT varchar(255),
    PRIMARY KEY (MT_KEY1, MT_KEY2)
);
