// Tools over IBM's JDBC driver: a Flyway migration, a Liquibase change log and a mapped class of Hibernate.
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
            .setProperty("hibernate.hbm2ddl.auto", "create").setProperty("hibernate.jdbc.use_get_generated_keys", "false");
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

    public static void main(String[] arguments) throws Exception {
        // Mapped classes are looked for by the loader of this file.
        Thread.currentThread().setContextClassLoader(Tools.class.getClassLoader());
        url = "jdbc:informix-sqli://127.0.0.1:" + arguments[0] + "/served:INFORMIXSERVER=mainstay;DELIMIDENT=y";
        user = arguments[1];
        password = arguments[2];
        run("flyway", Tools::flyway);
        run("liquibase", Tools::liquibase);
        run("hibernate", Tools::hibernate);
        System.exit(failed ? 1 : 0);
    }
}
