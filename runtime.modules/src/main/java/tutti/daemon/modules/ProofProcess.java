package tutti.daemon.modules;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import tutti.coll.ProvidesCollectives;
import tutti.coll.tck.limit.CpuLimit;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.container.ContainerCommand;
import tutti.daemon.container.ContainerMain;
import tutti.daemon.container.PrintedLines;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.snapshot.JvmSnapshot;

/**
 * Proof of a module in a JVM of its own, with the bundles of this node: activation, query and plans. What a module does there to its JVM ends that
 * JVM: exit, halt, an endless loop, too many threads, too much memory, a native crash.
 */
final class ProofProcess {
    /** Processor time of the process: more than that of the actions in it, which end first and say why. */
    private static final Duration LIMIT = CpuLimit.ACTION.multipliedBy(3);
    private static final int DESTROYED = 128 + 9;
    private static final int OUT_OF_MEMORY = 3;
    private static final List<String> OPTIONS = List.of("-Xmx192m", "-XX:MaxDirectMemorySize=64m", "-XX:MaxMetaspaceSize=128m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null");
    /**
     * Begins the options of this JVM that name its archive of classes, and those with which the archive was made. Without these a JVM refuses the
     * archive and loads every class from its jar.
     */
    private static final List<String> OF_ARCHIVE = List.of("-XX:SharedArchiveFile=", "-Xshare:", "-Xlog:cds", "-Xlog:aot",
        "--enable-native-access=", "--add-exports=", "--sun-misc-unsafe-memory-access=");
    private static final Pattern NAME = Pattern.compile("\\b" + Pattern.quote(ProvidesCollectives.NAMESPACE) + "(?::String)?=\"?([\\w-]+)");

    private ProofProcess() {}

    /**
     * Proves a module.
     *
     * @param folder folder for the files of the proof
     * @return why this container cannot start such a process, so that nothing was proved; null when the module is proved
     * @throws IOException when the module may not be installed; the message names module, version, step and reason
     */
    static @Nullable String prove(final BundleContext context, final Path module, final Path folder) throws IOException, InterruptedException {
        final List<String> command;
        try {
            command = ContainerCommand.of(context, options(ManagementFactory.getRuntimeMXBean().getInputArguments()), folder, ModuleProof.PROGRAM,
                ModuleProof.class, List.of(NodeModules.class.getName()),
                location -> location.startsWith(folder.resolveSibling("").toUri().toString()));
        } catch (final IOException e) {
            return e.getMessage();
        }
        Files.createDirectories(folder);
        try {
            Files.copy(module, folder.resolve(ModuleProof.MODULE));
            final Process process;
            try {
                process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
            } catch (final IOException e) {
                return "a process cannot be started: " + Protocol.oneLine(e);
            }
            return result(process, module, folder);
        } finally {
            TempFolders.delete(folder);
        }
    }

    private static @Nullable String result(final Process process, final Path module, final Path folder) throws IOException, InterruptedException {
        PrintedLines.log(process, "proof of module " + described(module));
        final CpuLimit cpu = CpuLimit.of(process.toHandle(), LIMIT);
        final CpuLimit.Verdict verdict;
        try {
            verdict = cpu.await(process::waitFor);
        } finally {
            process.destroyForcibly();
        }
        final int status = process.waitFor();
        String step = null;
        String last = "";
        final Path file = folder.resolve(ModuleProof.RESULT);
        for (final String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            last = line;
            step = line.startsWith(ModuleProof.STEP) ? line.substring(ModuleProof.STEP.length()) : step;
        }
        if (last.equals(ModuleProof.PROVED)) {
            return null;
        }
        if (last.startsWith(ModuleProof.REFUSED)) {
            final String reason = last.substring(ModuleProof.REFUSED.length());
            throw new IOException(status == 0 ? reason : refusal(module, step, reason));
        }
        final Path reason = folder.resolve(ContainerMain.REASON);
        if (step == null && Files.exists(reason)) {
            return "the process of the proof cannot start: " + Files.readString(reason).replace(ContainerMain.NOT_STARTED, "");
        }
        if (step == null) {
            return "the process of the proof ended before the module was activated: status=" + status;
        }
        throw new IOException(refusal(module, step, status == DESTROYED ? "it did not end within " + cpu.text(verdict)
            : "its process ended: status=" + status + (status == OUT_OF_MEMORY ? " (out of memory)" : "")));
    }

    private static String refusal(final Path module, final @Nullable String step, final String why) throws IOException {
        // Cause: the module ended the process in which it was proved, or did not end. Remedy: correct the module.
        return "proof of module " + described(module) + " failed: step=" + step + ": " + why + "; install it anyway with: --no-verify";
    }

    /** Returns name and version of the module in a jar. */
    private static String described(final Path module) throws IOException {
        try (JarFile jar = new JarFile(module.toFile())) {
            final Attributes main = jar.getManifest().getMainAttributes();
            final Matcher name = NAME.matcher(String.valueOf(main.getValue(Constants.PROVIDE_CAPABILITY)));
            return (name.find() ? name.group(1) : main.getValue(Constants.BUNDLE_SYMBOLICNAME)) + " " + main.getValue(Constants.BUNDLE_VERSION);
        }
    }

    /** Returns the options of the JVM of a proof, given those of this JVM: the class path begins with the same jars, so the archive serves both. */
    static List<String> options(final List<String> own) {
        final List<String> options = new ArrayList<>(OPTIONS);
        options.addAll(JvmSnapshot.options());
        own.stream().filter(o -> OF_ARCHIVE.stream().anyMatch(o::startsWith)).forEach(options::add);
        return options;
    }
}
