#!/usr/bin/env python3
"""A file system that responds, and then does not any more: hanging_fs.py FOLDER PROGRAM ARGUMENT...

Mounts FUSE over FOLDER, in this process's mount namespace, with a copy of PROGRAM there, which it runs with its arguments; prints its PID.
After a line on stdin it responds to nothing.  At the end of stdin it ends the program, and with it the file system.  Exit 77: FUSE is
refused here.  The protocol is that of linux/fuse.h, 7.19 and newer, as far as a program needs to be run from it.
"""
import ctypes
import errno
import os
import select
import stat
import struct
import subprocess
import sys
import threading

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, ACCESS, INTERRUPT = 1, 2, 3, 14, 15, 17, 18, 25, 26, 34, 36
FILE = 2  # its inode; 1 is that of the folder
CACHED = 3600  # seconds
folder, program = sys.argv[1:3]
with open(program, 'rb') as source:
    DATA = source.read()


def attributes(inode):
    mode, size = (stat.S_IFREG | 0o755, len(DATA)) if inode == FILE else (stat.S_IFDIR | 0o755, 0)
    return struct.pack('<QQQQQQIIIIIIIIII', inode, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(code, inode, body):
    if code == INIT:
        return struct.pack('<IIIIHHIIHHIIIIIIII', 7, 31, 65536, 0, 12, 10, 65536, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    if code == LOOKUP and inode == 1 and body.rstrip(b'\0') == b'program':
        return struct.pack('<QQQQII', FILE, 0, CACHED, CACHED, 0, 0) + attributes(FILE)
    if code == GETATTR:
        return struct.pack('<QII', CACHED, 0, 0) + attributes(inode)
    if code == OPEN:
        return struct.pack('<QII', 0, 2, 0)  # FOPEN_KEEP_CACHE
    if code == READ:
        _, offset, size = struct.unpack_from('<QQI', body)
        return DATA[offset:offset + size]
    if code == STATFS:
        return struct.pack('<QQQQQIIII', 0, 0, 0, 0, 0, 4096, 255, 4096, 0) + bytes(24)
    return b'' if code in (RELEASE, FLUSH, ACCESS) else None


def serve(device):
    ready = select.poll()
    ready.register(device, select.POLLIN)
    while True:
        if not ready.poll(20) and not silent.is_set():
            continue
        if silent.is_set():  # what nobody has taken, a signal ends
            quiet.set()
            return
        try:
            request = os.read(device, 1 << 20)
        except OSError:
            return
        _, code, unique, inode = struct.unpack_from('<IIQQ', request)
        if code in (FORGET, INTERRUPT):
            continue
        reply = answer(code, inode, request[40:])
        head = struct.pack('<IiQ', 16 + len(reply or b''), 0 if reply is not None else -errno.ENOENT if code == LOOKUP else -errno.ENOSYS, unique)
        os.write(device, head + (reply or b''))


silent, quiet = threading.Event(), threading.Event()
subprocess._USE_VFORK = False  # which would stop the thread that responds
libc = ctypes.CDLL(None, use_errno=True)
try:
    fuse = os.open('/dev/fuse', os.O_RDWR | os.O_CLOEXEC)
except OSError:
    sys.exit(77)
options = b'fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other' % fuse
if libc.mount(b'hanging', os.fsencode(folder), b'fuse', 0, options):
    sys.exit(77)
threading.Thread(target=serve, args=(fuse,), daemon=True).start()
child = subprocess.Popen([os.path.join(folder, 'program')] + sys.argv[3:], stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
if sys.stdin.readline():
    silent.set()
    quiet.wait()
    print('silent', flush=True)
    sys.stdin.read()
child.kill()
os._exit(0)
