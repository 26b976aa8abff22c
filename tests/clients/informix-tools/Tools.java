// Tools over IBM's JDBC driver: a Flyway migration, a Liquibase change log, a mapped class of Hibernate, and a clustered job
// store of Quartz.
//
//     java -cp 'lib/*' Tools.java PORT USER PASSWORD

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.*;
import java.util.*;

public class Tools {
    interface Body {
        void run() throws Exception;
    }

    static String url;
    static String user;
    static String password;
    static boolean failed;

    static void check(Object found, Object expected) {
        if (!String.valueOf(found).equals(String.valueOf(expected))) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    static void run(String name, Body body) {
        try {
            body.run();
            System.out.println("PASS informix-tools " + name);
        } catch (Throwable error) {
            failed = true;
            if (System.getenv("TRACE") != null) {
                error.printStackTrace();
            }
            System.out.println("FAIL informix-tools " + name + ": " + String.valueOf(error).replace('\n', ' '));
        }
    }

    static String first(String text) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, user, password);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(text)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    static void execute(String... texts) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, user, password); Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.execute(text);
            }
        }
    }

    static void flyway() throws Exception {
        Path folder = Files.createTempDirectory("flyway");
        execute("DROP TABLE IF EXISTS flyway_schema_history", "DROP TABLE IF EXISTS moved");
        Files.writeString(folder.resolve("V1__first.sql"), "CREATE TABLE moved (id SERIAL PRIMARY KEY, name VARCHAR(20));\nINSERT INTO moved VALUES (0, 'a');\n");
        Files.writeString(folder.resolve("V2__second.sql"), "ALTER TABLE moved ADD (qty INTEGER DEFAULT 3);\nINSERT INTO moved (name) VALUES ('b');\n");
        var flyway = org.flywaydb.core.Flyway.configure().dataSource(url, user, password).locations("filesystem:" + folder)
            .baselineOnMigrate(true).baselineVersion("0").load();
        check(flyway.migrate().migrationsExecuted, 2);
        check(flyway.migrate().migrationsExecuted, 0);
        check(first("SELECT qty FROM moved WHERE name = 'b'"), 3);
        check(flyway.info().current().getVersion(), 2);
    }

    static void liquibase() throws Exception {
        Path folder = Files.createTempDirectory("liquibase");
        execute("DROP TABLE IF EXISTS databasechangelog", "DROP TABLE IF EXISTS databasechangeloglock", "DROP TABLE IF EXISTS customer");
        Files.writeString(folder.resolve("changes.xml"), """
            <?xml version="1.0" encoding="UTF-8"?>
            <databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xsi:schemaLocation="http://www.liquibase.org/xml/ns/dbchangelog http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-latest.xsd">
              <changeSet id="1" author="test">
                <createTable tableName="customer">
                  <column name="id" type="int"><constraints primaryKey="true" nullable="false"/></column>
                  <column name="name" type="varchar(30)"/>
                </createTable>
                <insert tableName="customer"><column name="id" valueNumeric="1"/><column name="name" value="ann"/></insert>
              </changeSet>
              <changeSet id="2" author="test">
                <addColumn tableName="customer"><column name="city" type="varchar(20)" defaultValue="Rome"/></addColumn>
                <createIndex tableName="customer" indexName="customer_city"><column name="city"/></createIndex>
              </changeSet>
            </databaseChangeLog>
            """.strip());
        // With DELIMIDENT the driver looks for names as they are written, and Liquibase's are in upper case.
        try (Connection connection = DriverManager.getConnection(url.replace(";DELIMIDENT=y", ""), user, password)) {
            var database = liquibase.database.DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new liquibase.database.jvm.JdbcConnection(connection));
            var files = new liquibase.resource.DirectoryResourceAccessor(folder);
            var changes = new liquibase.Liquibase("changes.xml", files, database);
            changes.update("");
            check(changes.listUnrunChangeSets(new liquibase.Contexts(), new liquibase.LabelExpression()).size(), 0);
        }
        check(first("SELECT city FROM customer WHERE id = 1"), "Rome");
        check(first("SELECT COUNT(*) FROM databasechangelog"), 2);
    }

    @Entity(name = "Article")
    @Table(name = "articles")
    public static class Article {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        public Integer id;
        @Column(length = 30)
        public String name;
        public java.math.BigDecimal price;
        public java.time.LocalDate since;
    }

    static void hibernate() throws Exception {
        execute("DROP TABLE IF EXISTS articles");
        var configuration = new org.hibernate.cfg.Configuration().addAnnotatedClass(Article.class)
            .setProperty("hibernate.connection.url", url).setProperty("hibernate.connection.username", user)
            .setProperty("hibernate.connection.password", password)
            .setProperty("hibernate.dialect", "org.hibernate.community.dialect.InformixDialect")
            .setProperty("hibernate.hbm2ddl.auto", "create");
        try (var factory = configuration.buildSessionFactory()) {
            Integer id = factory.fromTransaction(session -> {
                Article article = new Article();
                article.name = "bolt";
                article.price = new java.math.BigDecimal("12.50");
                article.since = java.time.LocalDate.of(2024, 2, 29);
                session.persist(article);
                session.flush();
                return article.id;
            });
            check(id, 1);
            List<Article> found = factory.fromTransaction(session -> session.createQuery("from Article a where a.price > 10 order by a.name", Article.class).setMaxResults(5).getResultList());
            check(found.size() + " " + found.get(0).name + " " + found.get(0).since, "1 bolt 2024-02-29");
            factory.inTransaction(session -> session.find(Article.class, id).name = "nut");
        }
        check(first("SELECT name FROM articles"), "nut");
    }

    /** Counts its runs. */
    public static class Counting implements org.quartz.Job {
        static final java.util.concurrent.CountDownLatch RUNS = new java.util.concurrent.CountDownLatch(3);

        @Override
        public void execute(org.quartz.JobExecutionContext context) {
            RUNS.countDown();
        }
    }

    /** The tables of Quartz's own script, without the comma before a parenthesis and the VARCHAR(512) that no server takes. */
    static void quartzTables() throws Exception {
        String script;
        try (var text = Tools.class.getClassLoader().getResourceAsStream("org/quartz/impl/jdbcjobstore/tables_informix.sql")) {
            script = new String(text.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
        script = script.replaceAll(",\\s*\\)", ")").replace("VARCHAR(512)", "LVARCHAR(512)");
        for (String table : List.of("qblob_triggers", "qcalendars", "qcron_triggers", "qfired_triggers", "qpaused_trigger_grps",
                "qscheduler_state", "qlocks", "qsimple_triggers", "qsimprop_triggers", "qtriggers", "qjob_details")) {
            execute("DROP TABLE IF EXISTS " + table);
        }
        for (String statement : script.split(";")) {
            if (!statement.replaceAll("\\{[^}]*\\}", "").isBlank()) {
                execute(statement);
            }
        }
    }

    static void quartz() throws Exception {
        quartzTables();
        // With DELIMIDENT the driver finds columns of results by names as they are written, and those of Quartz are in upper case.
        String plainUrl = url.replace(";DELIMIDENT=y", "");
        Properties settings = new Properties();
        String[][] pairs = {{"scheduler.instanceName", "clock"}, {"scheduler.instanceId", "AUTO"}, {"scheduler.skipUpdateCheck", "true"},
            {"threadPool.class", "org.quartz.simpl.SimpleThreadPool"}, {"threadPool.threadCount", "2"},
            // The class of the job is known to the loader of this file alone.
            {"threadPool.threadsInheritContextClassLoaderOfInitializingThread", "true"},
            {"scheduler.threadsInheritContextClassLoaderOfInitializer", "true"},
            {"jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX"}, {"jobStore.tablePrefix", "q"}, {"jobStore.dataSource", "store"},
            {"jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.StdJDBCDelegate"}, {"jobStore.isClustered", "true"},
            {"dataSource.store.driver", "com.informix.jdbc.IfxDriver"}, {"dataSource.store.URL", plainUrl}, {"dataSource.store.user", user},
            {"dataSource.store.password", password}, {"dataSource.store.maxConnections", "4"}};
        for (String[] pair : pairs) {
            settings.put("org.quartz." + pair[0], pair[1]);
        }
        var scheduler = new org.quartz.impl.StdSchedulerFactory(settings).getScheduler();
        try {
            var job = org.quartz.JobBuilder.newJob(Counting.class).withIdentity("count").usingJobData("what", "bolts").storeDurably().build();
            var often = org.quartz.TriggerBuilder.newTrigger().withIdentity("often").forJob(job).startNow()
                .withSchedule(org.quartz.SimpleScheduleBuilder.simpleSchedule().withIntervalInMilliseconds(200).withRepeatCount(2)).build();
            var daily = org.quartz.TriggerBuilder.newTrigger().withIdentity("daily").forJob(job)
                .withSchedule(org.quartz.CronScheduleBuilder.dailyAtHourAndMinute(3, 0)).build();
            scheduler.scheduleJob(job, Set.of(often, daily), true);
            scheduler.start();
            check(Counting.RUNS.await(40, java.util.concurrent.TimeUnit.SECONDS), true);
            check(scheduler.getJobDetail(job.getKey()).getJobDataMap().getString("what"), "bolts");
            check(scheduler.getTrigger(daily.getKey()) != null, true);
        } finally {
            scheduler.shutdown(true);
        }
        check(first("SELECT COUNT(*) FROM qcron_triggers"), 1);
    }

    public static void main(String[] arguments) throws Exception {
        // Mapped classes are looked for by the loader of this file.
        Thread.currentThread().setContextClassLoader(Tools.class.getClassLoader());
        url = "jdbc:informix-sqli://127.0.0.1:" + arguments[0] + "/served:INFORMIXSERVER=mainstay;DELIMIDENT=y";
        user = arguments[1];
        password = arguments[2];
        run("flyway", Tools::flyway);
        run("liquibase", Tools::liquibase);
        run("hibernate", Tools::hibernate);
        run("quartz", Tools::quartz);
        System.exit(failed ? 1 : 0);
    }
}
