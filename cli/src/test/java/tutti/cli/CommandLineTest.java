package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tutti.daemon.command.JavaCommandLine;
import tutti.daemon.launch.RankPlacement;

class CommandLineTest {
    @TempDir
    private Path dir;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run -n x P.java|tutti: Invalid value for option '-n': 'x' is not an int; try: tutti run --help",
        "run -np 0 P|tutti: ranks out of range: -n 0, range=1..65536; try: tutti run --help",
        "run --nodes 2 --connect h:1 P|tutti: --nodes and --connect exclude each other; try: tutti run --help",
        "run --hosts a:2 --nodes 2 P|tutti: --hosts and --nodes exclude each other; try: tutti run --help",
        "run --hostfile h --connect h:1 P|tutti: --hostfile and --connect exclude each other; try: tutti run --help",
        "run --hosts a:2 --hostfile h P|tutti: --hosts and --hostfile exclude each other",
        "run --hosts a:2,b:0 P|tutti: not a host: 'b:0', expected HOST[:SLOTS],... for example a:4,b:8",
        "run --hosts a:2,b:3 --prefix /opt/tutti -n 6 P|tutti: not enough slots: -n 6, slots=5; give the hosts more slots, "
            + "or permit it with --oversubscribe; try: tutti run --help",
        "run --hostfile /no/such P|tutti: host file not found: /no/such",
        "run --map socket P|tutti: Invalid value for option '--map': expected one of [BLOCK, SLOT, NODE, CYCLIC] "
            + "(case-insensitive) but was 'socket'; try: tutti run --help",
        "run --on-loss ignore P|tutti: Invalid value for option '--on-loss': expected one of [END, REPORT] (case-insensitive) but was 'ignore'; "
            + "try: tutti run --help",
        "start|tutti: no hosts: give --hosts or --hostfile, or run in a Slurm allocation; tutti daemon starts a node on this host",
        "run --nodes 0 P|tutti: nodes out of range: --nodes 0, range=1..64; try: tutti run --help",
        "run --timeout 0 P|tutti: timeout out of range: --timeout 0.0, min=0 (exclusive); try: tutti run --help",
        "run --noodes 2 P|tutti: Unknown option: '--noodes'; did you mean --nodes?",
        "run --frobnicate P|tutti: Unknown option: '--frobnicate'; try: tutti run --help",
        "secure nod a|tutti: no such command: secure nod; did you mean node?",
        "run java -frob P|tutti: java has no such option: -frob; try: tutti run --help",
        "run java -jar no.jar|tutti: program not found: no.jar; looked for in HERE; try: tutti run --help",
        "run|tutti: Missing required parameter: 'PROGRAM'; try: tutti run --help",
        "explain allreduce alreduce|tutti: no such operation: alreduce; did you mean allreduce?",
        "explain --nodes 2 --connect h:1|tutti: --nodes and --connect exclude each other; try: tutti explain --help",
        "run --trace pom.xml/t.json -n 1 P|tutti: cannot be written: --trace pom.xml/t.json: NO FOLDER/pom.xml; try: tutti run --help",
        "run -p trace=5 P|tutti: -p trace needs --trace FILE, or --connect: daemons keep traces for their live pages; try: tutti run --help",
        "explain --plan|tutti: a plan needs exactly one operation: operations=0; try: tutti explain --help",
        "explain --plan scan bcast|tutti: a plan needs exactly one operation: operations=2; try: tutti explain --help",
        "explain --plan -n 4 --rank 4 scan|tutti: rank out of range: --rank 4, range=0..3; try: tutti explain --help",
        "explain --plan --root -1 bcast|tutti: rank out of range: --root -1, min=0; try: tutti explain --help",
        "explain --groups 2+3 -n 4 bcast|tutti: --groups 2+3 needs as many ranks: -n 4; try: tutti explain --help",
        "explain --groups 2+3 --plan bcast|tutti: no plan can be shown with --groups: plans are those of intracommunicators; "
            + "try: tutti explain --help",
        "explain --groups 2 bcast|tutti: Invalid value for option '--groups': not the sizes of two groups: 2, expected for example 4+2; "
            + "try: tutti explain --help",
        "explain --rank 1 bcast|tutti: --rank and --root are for a plan: add --plan, --dot, --svg or --png; try: tutti explain --help",
        "explain --svg pom.xml/p.svg bcast|tutti: cannot be written: --svg pom.xml/p.svg: NO FOLDER/pom.xml; try: tutti explain --help",
        "explain --plan neighbor_alltoall|tutti: no plan can be shown of neighbor_alltoall: it depends on the topology of the "
            + "communicator; try: tutti explain --help",
        "tune -n 1|tutti: ranks out of range: -n 1, range=2..65536; try: tutti tune --help",
        "tune --sizes 12|tutti: size out of range: --sizes 12, range=8..1G, a multiple of 8; try: tutti tune --help",
        "tune --sizes 8..|tutti: size out of range: --sizes 8.., range=8..1G, a multiple of 8; try: tutti tune --help",
        "tune --sizes big|tutti: invalid size: --sizes big, expected for example 64K; try: tutti tune --help",
        "tune --rounds 0|tutti: rounds out of range: --rounds 0, range=1..100; try: tutti tune --help",
        "tune --millis 0|tutti: time out of range: --millis 0.0, min=0 (exclusive); try: tutti tune --help",
        "tune -o pom.xml/t.json|tutti: cannot be written: --output pom.xml/t.json: NO FOLDER/pom.xml; try: tutti tune --help",
        "tune -p coll.bcast=ring|tutti: parameter is set by tune itself: -p coll.bcast; try: tutti tune --help",
        "tune --learnt r.json|tutti: --learnt needs --connect: a cluster that is started has no jobs yet; try: tutti tune --help",
        "tune --learnt r.json --connect h:1 scan bcast|tutti: --learnt writes what was found out of all operations: leave out scan bcast; "
            + "try: tutti tune --help",
        "tune --learnt pom.xml/r.json --connect h:1|tutti: cannot be written: --learnt pom.xml/r.json: NO FOLDER/pom.xml; try: tutti tune --help",
        "tune bast|tutti: cannot be measured: bast; did you mean bcast?",
        "bench -n 1|tutti: ranks out of range: -n 1, range=2..65536; try: tutti bench --help",
        "bench --nodes 2 --connect h:1|tutti: --nodes and --connect exclude each other; try: tutti bench --help",
        "bench --sizes 12|tutti: size out of range: --sizes 12, range=8..1G, a multiple of 8; try: tutti bench --help",
        "bench --sizes 16M allgather|tutti: nothing to measure: allgather and alltoall have sizes up to 1M, or 16M for all ranks"
            + "; try: tutti bench --help",
        "bench --calls 0|tutti: calls out of range: --calls 0, range=1..10000000; try: tutti bench --help",
        "bench --warmup -1|tutti: calls out of range: --warmup -1, range=0..10000000; try: tutti bench --help",
        "bench --json pom.xml/b.json|tutti: cannot be written: --json pom.xml/b.json: NO FOLDER/pom.xml; try: tutti bench --help",
        "bench --plot b.gif|tutti: unknown format: --plot b.gif, known: .svg, .png; try: tutti bench --help",
        "bench --plot pom.xml/b.svg|tutti: cannot be written: --plot pom.xml/b.svg: NO FOLDER/pom.xml; try: tutti bench --help",
        "bench scan|tutti: cannot be measured: scan; there are: pingpong, bandwidth, barrier, bcast, reduce, allreduce, allgather, alltoall, "
            + "reduce_scatter, vector, put, get, puts, gets, accumulate, fetch, fence, pscw, lock, passive; try: tutti bench --help",
        "run -x =1 P|tutti: not a variable: -x =1, expected NAME or NAME=VALUE; try: tutti run --help",
        "run -x NOBODY_SETS_IT P|tutti: variable is not set: -x NOBODY_SETS_IT; set it, or give its value: -x NOBODY_SETS_IT=VALUE; "
            + "try: tutti run --help",
        "run --wdir /tmp --connect h:1 P|tutti: --wdir and --connect exclude each other: running daemons keep their folders; "
            + "give the program absolute paths, or send files with --file; try: tutti run --help",
        "run --file /no/such P|tutti: file not found: /no/such; try: tutti run --help",
        "run --output-filename pom.xml/out P|tutti: cannot be written: --output-filename pom.xml/out.0: NO FOLDER/pom.xml; try: tutti run --help",
        "run --output-filename out --label P|tutti: --output-filename and --label exclude each other: the name of the file has the rank; "
            + "try: tutti run --help",
        "run --display maps P|tutti: Invalid value for option '--display': expected one of [MAP] (case-insensitive) but was 'maps'; "
            + "try: tutti run --help",
        "info|tutti: Missing required option: '--connect=HOST:PORT'; try: tutti info --help",
        "explain -n 0|tutti: ranks out of range: -n 0, range=1..65536; try: tutti explain --help",
        "explain --bytes ..8 bcast|tutti: invalid size: --bytes ..8, expected 8, 64K, 1M or 2G; try: tutti explain --help",
        "explain --bytes big bcast|tutti: invalid size: --bytes big, expected 8, 64K, 1M or 2G; try: tutti explain --help",
        "explain --plan --root 1 -n 2 scan|tutti: scan has no root: --root 1; try: tutti explain --help",
        "explain --plan --svg - scan|tutti: standard output can take one of --plan, --dot - and --svg -: give the others a file; "
            + "try: tutti explain --help",
        "run -p coll.rules=/no/such.json P|tutti: coll.rules: /no/such.json: no such file",
        "update --connect h:1 --job a-1-0000 pom.xml|tutti: --job needs --live: --job a-1-0000; try: tutti update --help",
        "update --connect h:1 --canary 5% pom.xml|tutti: --canary needs --live; try: tutti update --help",
        "update --connect h:1 --live --budget 5% pom.xml|tutti: --budget needs --canary; try: tutti update --help",
        "update --connect h:1 --live --canary 5% --node b pom.xml|tutti: --canary changes all nodes: --node b; try: tutti update --help",
        "update --connect h:1 --live --canary 500% pom.xml|tutti: Invalid value for option '--canary': not a share: '500%', expected more than 0% "
            + "and at most 100%; try: tutti update --help",
        "rollback --connect h:1 --job a-1-0000 tree|tutti: --job needs --live: --job a-1-0000; try: tutti rollback --help",
        "nodes|tutti: Missing required option: '--connect=HOST:PORT'; try: tutti nodes --help",
        "daemon --name a --listen nowhere|tutti: not an address: 'nowhere', expected HOST:PORT",
        "daemon --name a/b|tutti: not a node name: 'a/b', expected 1 to 63 letters, digits, '.', '_' or '-'"})
    void shouldRefuseBadUsageInOneLine(final String line, final String message) {
        final StringWriter err = new StringWriter();
        assertEquals(2, Main.execute(new PrintWriter(err, true), line.split(" ")));
        final String expected =
            message.replace("HERE", Path.of("").toAbsolutePath().toString()).replace("NO FOLDER", "not a folder: " + Path.of("").toAbsolutePath());
        assertEquals(expected + System.lineSeparator(), err.toString());
    }

    @Test
    void shouldNameTheFolderInWhichARelativePathWasLookedFor() {
        final StringWriter err = new StringWriter();
        final String folder = "; looked for in " + Path.of("").toAbsolutePath();
        assertEquals(2, Main.execute(new PrintWriter(err, true), "run", "no.java"));
        assertEquals(2, Main.execute(new PrintWriter(err, true), "install", "--connect", "h:1", "no.jar"));
        assertEquals(2, Main.execute(new PrintWriter(err, true), "run", "-p", "coll.rules=no.json", "P"));
        assertEquals(2, Main.execute(new PrintWriter(err, true), "run", "--hostfile", "no.hosts", "P"));
        assertEquals(List.of("tutti: program not found: no.java" + folder + "; try: tutti run --help", "tutti: file not found: no.jar" + folder,
            "tutti: coll.rules: no.json: no such file" + folder, "tutti: host file not found: no.hosts" + folder), err.toString().lines().toList());
    }

    @Test
    void shouldDisplayTheRanksOfEachNodeAsRanges() {
        assertEquals("node b: 3 ranks: 0..2\nnode a: 1 rank: 3\n", JobConsole.map(new RankPlacement(List.of("b", "a"), List.of(0, 0, 0, 1))));
        assertEquals("node a: 2 ranks: 0, 2\nnode b: 1 rank: 1\n", JobConsole.map(new RankPlacement(List.of("a", "b"), List.of(0, 1, 0))));
    }

    @Test
    void shouldWriteTheOutputOfEachRankToItsFileWithManyRanks() throws IOException {
        final int ranks = 600;
        final Path prefix = dir.resolve("no/folder/out");
        try (RankFiles files = new RankFiles(prefix)) {
            files.create(4);
            Files.writeString(Path.of(prefix + ".3"), "of an earlier run");
            files.create(ranks);
            for (int round = 0; round < 2; round++) {
                for (int rank = 0; rank < ranks; rank += 2) {
                    files.write(rank, ("rank " + rank + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        for (int rank = 0; rank < ranks; rank++) {
            assertEquals(rank % 2 == 0 ? ("rank " + rank + "\n").repeat(2) : "", Files.readString(Path.of(prefix + "." + rank)));
        }
    }

    @Test
    void shouldNameEachCommandAsItsAnnotationDoes() {
        for (final String name : Main.COMMANDS) {
            assertEquals(name, Main.command(name).getAnnotation(CommandLine.Command.class).name());
        }
    }

    @Test
    void shouldRefuseAnUnknownCommandAndAMissingOne() {
        final StringWriter err = new StringWriter();
        assertEquals(2, Main.execute(new PrintWriter(err, true), "nods"));
        assertEquals(2, Main.execute(new PrintWriter(err, true), "rn", "P.java"));
        assertEquals(2, Main.execute(new PrintWriter(err, true), "frob"));
        assertEquals(2, Main.execute(new PrintWriter(err, true)));
        assertEquals(List.of("tutti: no such command: nods; did you mean nodes?", "tutti: no such command: rn; did you mean run?",
            "tutti: no such command: frob; there are: " + String.join(", ", Main.COMMANDS), "tutti: command missing; try: tutti --help"),
            err.toString().lines().toList());
    }

    @Test
    void shouldRefuseAMissingElementOfItsClassPathAndTellOfOneOfJava() throws IOException {
        final String missing = dir.resolve("missing").toString();
        final JavaCommandLine line = JavaCommandLine.parse(List.of("-cp", missing + File.pathSeparator + dir, "Main", "x"), p -> p);
        assertEquals("class path element not found: " + missing,
            assertThrows(CommandFailure.class, () -> Program.of(line, true, List.of(), false)).getMessage());
        try (Program p = Program.of(line, false, List.of(), false)) {
            assertEquals(List.of(dir.getFileName() + ".jar"), p.files().stream().map(f -> f.getFileName().toString()).toList());
            assertEquals("Main", p.mainClass());
            assertEquals(List.of("x"), p.args());
        }
    }
}
