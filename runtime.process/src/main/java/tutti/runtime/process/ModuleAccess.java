package tutti.runtime.process;

import java.util.List;
import java.util.Optional;
import tutti.runtime.process.jdk.JdkAccess;
import tutti.runtime.process.owner.RankProgram;

/** Gives one rank's program what its command line or manifest asks of the modules of the JDK. Other ranks have no part in it. */
final class ModuleAccess {
    private ModuleAccess() {}

    /**
     * Opens and exports packages to the classes of a loader, and checks that the JVM has what cannot be changed any more.
     *
     * @throws ProgramException when the JVM lacks a module or preview features, or does not grant access; the message says what to do
     */
    static void grant(final RankProgram.Options options, final ClassLoader loader) throws ProgramException {
        if (options.preview() && !isPreviewEnabled()) {
            throw new ProgramException("program needs preview features, which the JVM of the node does not have: start the node with "
                + "TUTTI_DAEMON_OPTS=--enable-preview");
        }
        for (final String name : options.modules()) {
            // names in capitals, as ALL-SYSTEM, stand for modules that are there
            if (!name.startsWith("ALL-") && ModuleLayer.boot().findModule(name).isEmpty()) {
                throw new ProgramException("program needs module " + name + ", which the JVM of the node does not have: start the node with "
                    + "TUTTI_DAEMON_OPTS=--add-modules=" + name);
            }
        }
        grant(JdkAccess::export, options.exports(), loader);
        grant(JdkAccess::open, options.opens(), loader);
    }

    private static boolean isPreviewEnabled() {
        return java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments().contains("--enable-preview");
    }

    private static void grant(final Change change, final List<String> packages, final ClassLoader loader) throws ProgramException {
        if (packages.isEmpty()) {
            return;
        }
        if (!JdkAccess.isGranted()) {
            throw new ProgramException("packages cannot be opened to the program, since the JVM of the node does not grant it: packages=" + packages
                + "; start the node with TUTTI_DAEMON_OPTS=" + JdkAccess.OPTION);
        }
        try {
            for (final String name : packages) {
                final int slash = name.indexOf('/');
                final Optional<Module> module = ModuleLayer.boot().findModule(name.substring(0, Math.max(0, slash)));
                // a package that is not there is none to the java command, either
                if (module.isPresent() && module.get().getPackages().contains(name.substring(slash + 1))) {
                    change.apply(module.get(), name.substring(slash + 1), loader.getUnnamedModule());
                }
            }
        } catch (final ReflectiveOperationException e) {
            throw new ProgramException("packages cannot be opened to the program: packages=" + packages + ", reason=" + e);
        }
    }

    /** Change of what a module shows of a package to another one. */
    @FunctionalInterface
    private interface Change {
        void apply(Module module, String packageName, Module to) throws ReflectiveOperationException;
    }
}
