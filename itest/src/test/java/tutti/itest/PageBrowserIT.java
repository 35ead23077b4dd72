package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the live page in a browser, on a cluster of three nodes of which the last test loses one. Pictures of it are then in {@code target/page}.
 * Runs in the profile {@code browser} only.
 */
@EnabledIfSystemProperty(named = "tutti.browser", matches = "true", disabledReason = "runs in the profile browser: mvn verify -Pbrowser")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 960, unit = TimeUnit.SECONDS)
class PageBrowserIT {
    private static final Path PICTURES = Path.of("target/page").toAbsolutePath();
    private static final String READY =
        "document.querySelectorAll('#node-rows tr').length == 3 && document.querySelectorAll('#module-rows tr').length > 4";
    private static final String LIGHT = "light";

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;
    private static TuttiScript.Daemon c;

    @TempDir
    private Path folder;
    private Chromium browser;
    private String address;

    @BeforeAll
    static void startNodes() throws Exception {
        a = new TuttiScript.Daemon(dir, "--name", "a", "--page", "0");
        b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
        c = new TuttiScript.Daemon(dir, "--name", "c", "--join", a.address);
        TuttiScript.writeProgram(dir, "Waits", "System.out.println(\"up\"); MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, (rank + 1) % size, 99);");
        TuttiScript.compile(dir, "Waits");
        TuttiScript.writeProgram(dir, "Works", """
            System.out.println("up");
            for (double[] sum = new double[100]; ; Thread.sleep(rank + 1)) {
              MPI.COMM_WORLD.allReduce(sum, 100, MPI.DOUBLE, MPI.SUM);
              if (sum[0] > 1) { break; }
            }""");
        TuttiScript.compile(dir, "Works");
        TuttiScript.writeProgram(dir, "Measured", """
            double[] grid = new double[20_000];
            int left = (rank + size - 1) % size;
            int right = (rank + 1) % size;
            for (int i = 0; i < 8; i++) {
              for (int k = 0; k < 200 * (rank + 1); k++) {
                for (int j = 1; j < grid.length - 1; j++) { grid[j] = (grid[j - 1] + grid[j + 1] + i) / 3; }
              }
              MPI.COMM_WORLD.sendRecv(grid, 100, MPI.DOUBLE, right, 1, new double[100], 100, MPI.DOUBLE, left, 1);
              MPI.COMM_WORLD.allReduce(new double[] {grid[5]}, new double[1], 1, MPI.DOUBLE, MPI.MAX);
            }
            MPI.COMM_WORLD.gather(grid, 1000, MPI.DOUBLE, new double[1000 * size], 1000, MPI.DOUBLE, 0);""");
        TuttiScript.compile(dir, "Measured");
    }

    @AfterAll
    static void stopNodes() {
        for (final TuttiScript.Daemon node : new TuttiScript.Daemon[] {c, b, a}) {
            if (node != null) {
                node.close();
            }
        }
    }

    @BeforeEach
    void startBrowser() throws Exception {
        browser = new Chromium(Files.createDirectory(folder.resolve("profile")));
        address = CommandInJvm.run("page", "--connect", a.address).out().strip();
    }

    @AfterEach
    void stopBrowser() {
        browser.close();
        assertEquals(List.of(), browser.errors);
    }

    private void show(final String scheme) throws Exception {
        browser.open(address, scheme);
        browser.awaitTrue(READY);
    }

    private void picture(final String name) throws Exception {
        assertTrue(browser.screenshot(PICTURES.resolve(name + ".png")) > 20_000, name);
    }

    private static CommandInJvm.Running run(final String program, final int ranks) throws Exception {
        final CommandInJvm.Running job = CommandInJvm.start("run", "--connect", a.address, "-n", Integer.toString(ranks), "--map", "node", "-p",
            "stall=off", "--cp", dir.toString(), program);
        if (job.lines(ranks).size() < ranks) {
            throw new AssertionError(job.end());
        }
        return job;
    }

    private static void cancel(final CommandInJvm.Running job) throws Exception {
        final String id = CommandInJvm.run("ps", "--connect", a.address).out().lines().skip(1).findFirst().orElseThrow().split(" ")[0];
        assertEquals(0, CommandInJvm.run("cancel", "--connect", a.address, id).status());
        assertEquals(7, job.end().status());
    }

    @Test
    @Order(1)
    void shouldShowAnIdleClusterInLightAndDark() throws Exception {
        for (final String scheme : List.of(LIGHT, "dark")) {
            show(scheme);
            assertEquals("live", browser.evaluate("document.getElementById('state').textContent"));
            assertEquals("false", browser.evaluate("document.getElementById('no-jobs').hidden"));
            assertEquals("", browser.evaluate("location.hash.replace('#/', '')"), "the token does not stay in the address");
            picture("idle-" + scheme);
        }
        final String light = browser.evaluate("getComputedStyle(document.body).backgroundColor");
        show(LIGHT);
        assertTrue(!light.equals(browser.evaluate("getComputedStyle(document.body).backgroundColor")), light);
    }

    @Test
    @Order(2)
    void shouldNotShowAnythingWithoutTheToken() throws Exception {
        browser.open(address.substring(0, address.indexOf('#')), LIGHT);
        browser.awaitTrue("document.getElementById('state').textContent.startsWith('no access: open the address that tutti page prints')");
        // the browser logs the refusal
        assertTrue(browser.errors.stream().allMatch(e -> e.contains("401")), browser.errors::toString);
        browser.errors.clear();
    }

    @Test
    @Order(3)
    void shouldBeOperableByKeysAlone() throws Exception {
        show(LIGHT);
        for (int i = 0; i < 2; i++) {
            browser.press("Tab", 9, "");
        }
        assertEquals("Schedules", browser.evaluate("document.activeElement.textContent"));
        browser.press("Enter", 13, "\r");
        browser.awaitTrue("!document.getElementById('plans').hidden && document.getElementById('overview').hidden");
        browser.press("Tab", 9, "");
        assertEquals("operation", browser.evaluate("document.activeElement.id"));
    }

    @Test
    @Order(4)
    void shouldDrawTheScheduleOfACall() throws Exception {
        show(LIGHT);
        browser.evaluate("location.hash = '#/plans?ranks=6'");
        browser.awaitTrue("!document.getElementById('plans').hidden && document.getElementById('plan-ranks').value === '6'");
        browser.evaluate("document.getElementById('operation').value = 'bcast'; document.getElementById('draw').click()");
        browser.awaitTrue("document.querySelector('#picture svg title') !== null");
        assertTrue(browser.evaluate("document.querySelector('#picture svg').textContent").contains("6 ranks"));
        assertTrue(browser.evaluate("document.getElementById('decision').textContent").startsWith("bcast "));
        picture("plan");
    }

    @Test
    @Order(5)
    void shouldShowARunningJobAndItsRanks() throws Exception {
        final CommandInJvm.Running job = run("Works", 6);
        show(LIGHT);
        browser.awaitTrue("document.querySelectorAll('#module-rows small').length > 0");
        browser.awaitTrue("document.querySelector('#job-rows rect.running') !== null");
        picture("running");
        browser.evaluate("document.querySelector('#job-rows a').click()");
        browser.awaitTrue("document.querySelectorAll('#rank-rows tr').length == 6 && document.querySelectorAll('#rank-lanes rect').length > 6");
        picture("job");
        cancel(job);
        browser.awaitTrue("document.getElementById('job-facts').textContent.includes('cancelled at')");
    }

    @Test
    @Order(6)
    void shouldShowADeadlockAsACircle() throws Exception {
        final CommandInJvm.Running job = run("Waits", 3);
        show("dark");
        browser.awaitTrue("document.querySelector('#job-rows rect.running') !== null");
        browser.evaluate("document.querySelector('#job-rows a').click()");
        browser.awaitTrue("document.querySelectorAll('#waits-picture path.wait.circle').length == 3");
        assertEquals("Ranks 0, 1, 2 wait for what cannot come. They wait in a circle: 0 → 1 → 2 → 0",
            browser.evaluate("document.getElementById('verdict').textContent"));
        picture("deadlock");
        cancel(job);
    }

    @Test
    @Order(7)
    void shouldShowTheTraceAndTheProfileOfAJobInLightAndDark() throws Exception {
        final TuttiScript.Result job = CommandInJvm.run("run", "--connect", b.address, "-n", "6", "--map", "node", "-p", "trace=on", "-p",
            "intercept=profile,trace", "--cp", dir.toString(), "Measured");
        assertEquals(0, job.status(), job::toString);
        for (final String scheme : List.of(LIGHT, "dark")) {
            show(scheme);
            browser.awaitTrue("[...document.querySelectorAll('#job-rows b')].some(r => r.textContent.startsWith('Measured'))");
            browser.evaluate("[...document.querySelectorAll('#job-rows a')].find(r => r.textContent.startsWith('Measured')).click()");
            browser.awaitTrue("document.querySelector('#trace-picture svg title') !== null && !document.getElementById('profile').hidden");
            assertTrue(browser.evaluate("document.querySelector('#trace-picture svg').textContent").contains("Trace of Measured, 6 ranks"));
            assertTrue(browser.evaluate("document.getElementById('trace-note').textContent").startsWith("6 ranks, "));
            assertEquals("6", browser.evaluate("document.querySelectorAll('#profile-ranks tr').length"));
            assertTrue(browser.evaluate("document.getElementById('profile-sites').textContent").contains("Measured.main:"));
            picture("measured-" + scheme);
        }
        browser.evaluate("document.getElementById('trace-json').click()");
        browser.awaitTrue("document.getElementById('saved').textContent === ''");
    }

    @Test
    @Order(8)
    void shouldSayHowToGetATraceAndAProfile() throws Exception {
        assertEquals(0, CommandInJvm.run("run", "--connect", a.address, "-n", "2", "--cp", dir.toString(), "Measured").status());
        show(LIGHT);
        browser.awaitTrue("[...document.querySelectorAll('#job-rows b')].some(r => r.textContent === 'Measured, 2 ranks')");
        browser.evaluate("[...document.querySelectorAll('#job-rows a')].find(r => r.textContent.startsWith('Measured, 2 ranks')).click()");
        browser.awaitTrue("document.getElementById('trace-note').textContent.includes('-p trace=on')");
        assertTrue(browser.evaluate("document.getElementById('profile-note').textContent").contains("-p intercept=profile"));
        assertEquals("true", browser.evaluate("document.getElementById('trace-picture').hidden && document.getElementById('profile').hidden"));
        picture("no-trace");
    }

    @Test
    @Order(9)
    void shouldInstallAModuleAfterAQuestion() throws Exception {
        show(LIGHT);
        ThreeNodeCluster.removeRing(a);
        browser.choose("#bundle", new ModuleBundles(folder).ring("1.0.0"));
        browser.evaluate("document.querySelector('#install button').click()");
        browser.awaitTrue("document.getElementById('ask').open");
        browser.evaluate("document.getElementById('yes').click()");
        browser.awaitTrue("document.getElementById('changed').textContent.includes('ring serves')");
        browser.awaitTrue("document.getElementById('module-rows').textContent.includes('1.0.0')");
        picture("installed");
        browser.evaluate("document.querySelector('button[aria-label=\"Uninstall ring\"]').click()");
        browser.awaitTrue("document.getElementById('ask').open");
        browser.evaluate("document.getElementById('yes').click()");
        browser.awaitTrue("!document.getElementById('module-rows').textContent.includes('ring')");
    }

    @Test
    @Order(10)
    void shouldShowALostNode() throws Exception {
        show(LIGHT);
        c.process.toHandle().destroyForcibly();
        browser.awaitTrue("document.querySelectorAll('tr.lost').length == 1");
        assertTrue(browser.evaluate("document.querySelector('tr.lost').textContent").startsWith("c 127.0.0.1:"));
        picture("lost");
    }
}
