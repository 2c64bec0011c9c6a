"""Makes hostile databases: hostile.py KIND PAGESIZE MEGABYTES FILE [COLUMNS]"""
import random
import struct
import sys

random.seed(1)
def header(ps,n,trunk=0,free=0):
    h=bytearray(ps); h[:16]=b"SQLite format 3\0"
    h[16:18]=struct.pack(">H",1 if ps==65536 else ps); h[18]=h[19]=1; h[21:24]=bytes([64,32,32])
    h[24:28]=h[92:96]=struct.pack(">I",1); h[28:32]=struct.pack(">I",n); h[32:40]=struct.pack(">II",trunk,free)
    h[44:48]=struct.pack(">I",4); h[56:60]=struct.pack(">I",1)
    return h
def varint(v):
    if v<128: return bytes([v])
    out=[]
    while True:
        out.append(v&0x7f); v>>=7
        if not v: break
    out.reverse()
    return bytes([b|0x80 for b in out[:-1]]+[out[-1]])
def leaf(ps,cells,at=0,typ=13,right=None):
    p=bytearray(ps); end=ps; ptrs=[]
    for c in cells:
        end-=len(c); p[end:end+len(c)]=c; ptrs.append(end)
    hs=8 if typ in(13,10) else 12
    p[at]=typ; p[at+3:at+5]=struct.pack(">H",len(cells)); p[at+5:at+7]=struct.pack(">H",end&0xffff)
    if hs==12: p[at+8:at+12]=struct.pack(">I",right)
    for i,q in enumerate(ptrs): p[at+hs+2*i:at+hs+2*i+2]=struct.pack(">H",q)
    return p
kind,ps,mb,out=sys.argv[1],int(sys.argv[2]),int(sys.argv[3]),sys.argv[4]
n=mb*1000000//ps
f=open(out,"wb"); 
if kind=="samechild":   # interior pages whose children are all the same few pages
    f.write(header(ps,n))
    for i in range(2,n+1):
        cells=[struct.pack(">I",random.choice([n,2,i,3]))+varint(k+1) for k in range((ps-12)//9)]
        f.write(leaf(ps,cells,0,5,random.randrange(2,n)))
elif kind=="chains":   # every cell has an overflow chain, and all chains share one long chain of pages
    f.write(header(ps,n)); half=n//2
    loc=None
    U=ps; M=(U-12)*32//255-23
    for i in range(2,half):
        P=(n-half-1)*(U-4)+M
        # header: size 2 -> 1 column blob
        cells=[]
        for k in range((ps-8)//(M+20)):
            t=12+2*(P-6) 
            hdr=varint(t); rec=bytes([len(hdr)+1])+hdr
            t=12+2*(P-len(rec)); hdr=varint(t); rec=bytes([len(hdr)+1])+hdr
            K=M+((P-M)%(U-4)); l=K if K<=U-35 else M
            cells.append(varint(P)+varint(i*1000+k)+rec+b"x"*(l-len(rec))+struct.pack(">I",half+random.randrange(0,3)))
        f.write(leaf(ps,cells))
    for i in range(half,n+1):
        p=bytearray(ps); p[:4]=struct.pack(">I",i+1 if i<n else 0); f.write(p)
elif kind=="freeloop":
    f.write(header(ps,n,2,n))
    for i in range(2,n+1):
        p=bytearray(ps); p[:8]=struct.pack(">II",i+1 if i<n else 2,ps//4-2)
        for k in range(ps//4-2): p[8+4*k:12+4*k]=struct.pack(">I",random.randrange(2,n))
        f.write(p)
elif kind=="overlap":
    f.write(header(ps,n))
    for i in range(2,n+1):
        p=bytearray(b"\x7f"*ps); c=(ps-8)//6; p[:8]=bytes([13,0,0])+struct.pack(">HH",c,8+2*c)+b"\0"
        for k in range(c): p[8+2*k:10+2*k]=struct.pack(">H",8+2*c+k)
        f.write(p)
elif kind=="search":  # pages of almost-records for the gap search: leaf type, no cells
    f.write(header(ps,n))
    ncol=int(sys.argv[5])
    for i in range(2,n+1):
        p=bytearray(ps); p[0]=13; p[5:7]=struct.pack(">H",8)
        # repeated: header size ncol+1 with text types whose sum fits
        unit=bytearray()
        while len(unit)<ps-16:
            sizes=[random.randrange(0,3) for _ in range(ncol)]
            rec=bytes([ncol+1])+bytes(13+2*s for s in sizes)+bytes([0xff])*sum(sizes)
            unit+=varint(len(rec))+varint(5)+rec
        p[16:]=unit[:ps-16]
        f.write(p)
elif kind=="deep":
    f.write(header(ps,n))
    for i in range(2,n+1):
        f.write(leaf(ps,[],0,5,i+1 if i<n else 2) if i%2 else leaf(ps,[struct.pack(">I",i+1)+varint(5)],0,5,i+2))
